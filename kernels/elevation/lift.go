package elevation

import (
	"github.com/trackgen-go/trackgen/kernel"
	"github.com/trackgen-go/trackgen/kernels/centerline"
)

// lift gives the count[e] points of every centreline heights, and measures the line in space: the arc length before
// each point and the length of the closed line (C-12, C-13). arc and perimeter are the lengths in plan view. The
// profile is one that is not flat.
//
// With Uniform and RandomWalk the heights are drawn at knots points at equal distances, and the curve through them
// gives those between; knot has their heights. With Noise each point has its own, and knot keeps its values. With Given
// the points keep the heights that they have.
//
// steep [E] becomes 1 if the height changes by more than maxGrade times the distance in plan view between two
// successive points, the last and the first included, else 0 (C-15). With maxGrade 0 there is no limit.
//
// One group is one env. All arrays of points have the stride maxPoints; what lies beyond count is NaN in arclen and 0
// in height. knotArc, walk and knot have the stride knots.
//
//kernel:group lanes=128
//kernel:iterations liftIterations(maxPoints, knots, harmonics, lanes)
func lift(g kernel.Group, active, seed []int32, maxPoints, profile, knots int32,
	level, low, high, maxStep, amplitude float32, harmonics int32, maxGrade float32,
	loop []kernel.Vec2, count []int32, arc, perimeter, knotArc, walk, knot []float32,
	height, arclen, length []float32, steep []int32) {
	if g.ID >= active[0] {
		return
	}
	env := active[g.ID+1]
	base := env * maxPoints
	first := env * knots
	n := count[env]
	around := perimeter[env]
	if profile != Noise && profile != Given {
		for k := range g.Each(knots) {
			knotArc[first+k] = float32(float32(k)*around) / float32(knots)
		}
		for range g.Each(1) {
			if profile == RandomWalk {
				Walk(seed[env], knots, first, knotArc, maxStep, walk)
			}
		}
		for k := range g.Each(knots) {
			knot[first+k] = Height(seed[env], profile, k, knots, first, knotArc, around, walk, level, low, high, amplitude,
				harmonics)
		}
	}
	for i := range g.Each(maxPoints) {
		z := float32(0)
		if i < n {
			if profile == Given {
				z = height[base+i]
			} else if profile == Noise {
				z = Height(seed[env], profile, i, n, base, arc, around, arc, level, low, high, amplitude, harmonics)
			} else {
				z = HeightBetween(knots, first, knot, arc[base+i], around)
			}
		} else {
			arclen[base+i] = kernel.NaN()
		}
		height[base+i] = z
	}
	for range g.Each(1) {
		var sum kernel.TwoFloat
		tooSteep := int32(0)
		for i := int32(0); i < n; i++ {
			next := centerline.After(i, n)
			arclen[base+i] = sum.Float32()
			d := loop[base+next].Sub(loop[base+i])
			rise := height[base+next] - height[base+i]
			sum = sum.Add(kernel.V3(d.X, d.Y, rise).Len())
			if IsSteep(rise, d, maxGrade) {
				tooSteep = 1
			}
		}
		length[env] = sum.Float32()
		steep[env] = tooSteep
	}
}

// IsSteep reports whether the height changes by rise, more than maxGrade times the distance, along a way in plan view
// (C-15). With maxGrade 0 there is no limit.
func IsSteep(rise float32, way kernel.Vec2, maxGrade float32) bool {
	return maxGrade > 0 && kernel.Abs(rise) > float32(maxGrade*kernel.Max(way.Len(), minDistance))
}
