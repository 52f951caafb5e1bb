package inflation

import (
	"github.com/trackgen-go/trackgen/kernel"
	"github.com/trackgen-go/trackgen/kernels/centerline"
	"github.com/trackgen-go/trackgen/kernels/variation"
)

// even spaces the count[e] points of every loop evenly and measures the result: the arc length before each point and
// the length of the closed loop, in the plane (docs/spec/pipeline.md, section 7). With again 0 the points stay where
// they are.
//
// sides are the widths of the road to the right and to the left, as X and Y: with perPoint 1 of each point, which are
// interpolated by arc length, with perEnv 1 one pair for all points of an env, with neither one pair for all envs.
// turned has the bits of package variation that say how the line is turned, with perEnv 1 for each env, else for all. A
// line that is driven the other way round begins at the same point.
//
// A line that is not finite loses its points: its count becomes 0, so that all numbers of real points are finite.
//
// One group is one env. All arrays of points have the stride maxPoints; what lies beyond count is NaN in arclen and in
// the widths.
//
//kernel:group lanes=128
//kernel:iterations evenIterations(maxPoints, lanes)
func even(g kernel.Group, active []int32, maxPoints, again, perPoint, perEnv int32, point, sides []kernel.Vec2,
	turned, count []int32, loop []kernel.Vec2, widthRight, widthLeft, arclen, length []float32) {
	if g.ID >= active[0] {
		return
	}
	env := active[g.ID+1]
	base := env * maxPoints
	given := count[env]
	for k := range g.Each(given) {
		arclen[base+k] = centerline.SegmentLength(k, given, base, point)
	}
	for range g.Each(1) {
		// At the end of each segment, until the points have their places.
		total := centerline.SumLengths(given, base, arclen)
		if given > 0 && !centerline.IsFinite(point[base], total) {
			count[env] = 0
		}
	}
	n := count[env]
	ways := turned[env*perEnv]
	for k := range g.Each(n) {
		from := k // number of this point of the line as it was
		if ways&variation.Reversed != 0 && k > 0 {
			from = n - k
		}
		p := point[base+from]
		side := sides[(base+from)*perPoint+env*perEnv]
		if again != 0 {
			target := float32(float32(from)*arclen[base+n-1]) / float32(n)
			i, t := centerline.PlaceAtArc(n, base, arclen, target)
			after := centerline.After(i, n)
			p = between(point[base+i], point[base+after], t)
			if perPoint != 0 {
				side = between(sides[base+i], sides[base+after], t)
			}
		}
		if ways&variation.Mirrored != 0 {
			p.X = -p.X
		}
		if ways == variation.Reversed || ways == variation.Mirrored {
			side = kernel.V2(side.Y, side.X)
		}
		loop[base+k] = p
		widthRight[base+k] = side.X
		widthLeft[base+k] = side.Y
	}
	for i := range g.Each(n) {
		arclen[base+i] = centerline.SegmentLength(i, n, base, loop)
	}
	for range g.Each(1) {
		var sum kernel.TwoFloat
		for i := int32(0); i < n; i++ {
			segment := arclen[base+i]
			arclen[base+i] = sum.Float32()
			sum = sum.Add(segment)
		}
		length[env] = sum.Float32()
	}
	for i := range g.Each(maxPoints) {
		if i >= n {
			arclen[base+i] = kernel.NaN()
			widthRight[base+i] = kernel.NaN()
			widthLeft[base+i] = kernel.NaN()
		}
	}
}

// between returns a fraction t of the way from a to b.
func between(a, b kernel.Vec2, t float32) kernel.Vec2 { return a.Add(b.Sub(a).Scale(t)) }
