package raceline

import (
	"github.com/trackgen-go/trackgen/kernel"
	"github.com/trackgen-go/trackgen/kernels/centerline"
	"github.com/trackgen-go/trackgen/kernels/speed"
	"github.com/trackgen-go/trackgen/kernels/vector"
)

// minLength is the length up to which a vector has no direction (C-13).
const minLength = 1e-12

// draw makes lines of the offsets of the active envs: points, tangents, curvatures, arc lengths and length (L-77). An
// env has no line if it has fewer than 3 points or a point is not finite: its count, valid and length are 0, its points
// are NaN.
//
// One group is one env. All arrays of points have the stride maxPoints, and are NaN from the count of the line on.
//
//kernel:group lanes=64
//kernel:iterations drawIterations(maxPoints, lanes)
func draw(g kernel.Group, active []int32, maxPoints int32, center, normal []kernel.Vec3, offset []float32,
	count []int32, points, tangent []kernel.Vec3, curvature, arclen, length []float32, lineCount, valid []int32) {
	var wrong [parts]int32
	if g.ID >= active[0] {
		return
	}
	env := active[g.ID+1]
	base := env * maxPoints
	n := speed.PointsOf(count[env], maxPoints)
	for part := range g.Each(parts) {
		found := int32(0)
		for i := part; i < n; i += parts {
			p := pointAt(center[base+i], normal[base+i], offset[base+i])
			if !(kernel.IsFinite(p.X) && kernel.IsFinite(p.Y) && kernel.IsFinite(p.Z)) {
				found = 1
			}
		}
		wrong[part] = found
	}
	for part := int32(0); part < parts; part++ {
		if wrong[part] != 0 {
			n = 0
		}
	}
	for i := range g.Each(maxPoints) {
		p := nothing()
		if i < n {
			p = pointAt(center[base+i], normal[base+i], offset[base+i])
		}
		points[base+i] = p
	}
	for i := range g.Each(maxPoints) {
		direction := nothing()
		bend := kernel.NaN()
		step := kernel.NaN()
		if i < n {
			p := points[base+i]
			previous := points[base+centerline.Before(i, n)]
			following := points[base+centerline.After(i, n)]
			direction = vector.OneNaN3(unitOf(following.Sub(previous)))
			bend = vector.OneNaN(speed.Bend(p.Sub(previous), following.Sub(p)))
			step = following.Sub(p).Len()
		}
		tangent[base+i] = direction
		curvature[base+i] = bend
		arclen[base+i] = step // becomes the arc length below, when all chords are known
	}
	for range g.Each(1) {
		var sum kernel.TwoFloat
		for i := int32(0); i < n; i++ {
			step := arclen[base+i]
			arclen[base+i] = vector.OneNaN(sum.Float32())
			sum = sum.Add(step)
		}
		length[env] = vector.OneNaN(sum.Float32())
		lineCount[env] = n
		valid[env] = min(n, 1)
	}
}

// pointAt returns the point at an offset from the centreline, in plan view, with the height of the centreline.
func pointAt(center, normal kernel.Vec3, offset float32) kernel.Vec3 {
	return kernel.V3(center.X+float32(normal.X*offset), center.Y+float32(normal.Y*offset), center.Z)
}

// unitOf returns v divided by its length, or 0 for a vector without a direction.
func unitOf(v kernel.Vec3) kernel.Vec3 {
	length := v.Len()
	if !(length > minLength) {
		return kernel.V3(0, 0, 0)
	}
	return kernel.V3(v.X/length, v.Y/length, v.Z/length)
}

// nothing is the point of an unused element.
func nothing() kernel.Vec3 { return kernel.V3(kernel.NaN(), kernel.NaN(), kernel.NaN()) }
