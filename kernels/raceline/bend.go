package raceline

import (
	"github.com/trackgen-go/trackgen/kernel"
	"github.com/trackgen-go/trackgen/kernels/centerline"
)

// plan returns a vector in plan view.
func plan(v kernel.Vec3) kernel.Vec2 { return kernel.V2(v.X, v.Y) }

// chord returns the chord from point i to point j of a line that is offset from its centreline. The difference of the
// centreline comes first: it is small, and far from the origin the points themselves are rounded coarsely.
func chord(i, j int32, center, normal []kernel.Vec3, offset []float32) kernel.Vec2 {
	moved := plan(normal[j]).Scale(offset[j]).Sub(plan(normal[i]).Scale(offset[i]))
	return plan(center[j].Sub(center[i])).Add(moved)
}

// bending returns the residual of point i of a line, in X, and its derivatives by the offsets of the point before, of
// the point itself and of the next one, in Y, Z and W. The square of the residual is the squared curvature times the
// length that belongs to the point (L-72).
func bending(i, n, base int32, center, normal []kernel.Vec3, offset []float32) kernel.Quat {
	at := base + i
	previous := base + centerline.Before(i, n)
	following := base + centerline.After(i, n)
	a := chord(previous, at, center, normal, offset)
	b := chord(at, following, center, normal, offset)
	lengthA := kernel.Max(a.Len(), minChord)
	lengthB := kernel.Max(b.Len(), minChord)
	mean := float32(0.5 * (lengthA + lengthB))
	root := kernel.Sqrt(mean)
	residual := kernel.Atan2(a.Cross(b), a.Dot(b)) / root

	unitA := kernel.V2(a.X/lengthA, a.Y/lengthA)
	unitB := kernel.V2(b.X/lengthB, b.Y/lengthB)
	before := plan(normal[previous])
	here := plan(normal[at])
	after := plan(normal[following])
	stretch := float32(0.5*residual) / mean
	return four(residual,
		change(unitA.Cross(before)/lengthA, float32(-0.5*unitA.Dot(before)), root, stretch),
		change(-(unitB.Cross(here)/lengthB)-unitA.Cross(here)/lengthA,
			float32(0.5*(unitA.Dot(here)-unitB.Dot(here))), root, stretch),
		change(unitB.Cross(after)/lengthB, float32(0.5*unitB.Dot(after)), root, stretch))
}

// change returns the derivative of a residual from those of its angle and of the mean length of its chords. stretch is
// half the residual by that length, and root the square root of it.
func change(angle, length, root, stretch float32) float32 {
	return angle/root - float32(stretch*length)
}
