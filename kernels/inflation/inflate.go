package inflation

import (
	"github.com/trackgen-go/trackgen/kernel"
	"github.com/trackgen-go/trackgen/kernels/centerline"
)

const minNorm = 1e-8 // floor of the length that a tangent is divided by

// shoelace returns twice the signed area of the triangle between the origin and the edge from a to b.
func shoelace(a, b kernel.Vec2) float32 { return a.Cross(b) }

// inflate spaces the count[e] points of every relaxed loop evenly and builds the road around it: frame, arc length,
// winding and both borders, at height zBase (docs/spec/pipeline.md, section 7). The border with the larger area is
// outer. One group is one env. All arrays of points have the stride maxPoints; what lies beyond count is NaN, but for
// the height.
//
//kernel:group lanes=128
//kernel:iterations inflateIterations(maxPoints, lanes)
func inflate(g kernel.Group, active []int32, maxPoints int32, halfWidth, zBase float32, relaxed []kernel.Vec2, count []int32,
	end []float32, loop []kernel.Vec2,
	outer, center, inner, tangent, normal []kernel.Vec3, arclen, length, winding []float32) {
	if g.ID >= active[0] {
		return
	}
	env := active[g.ID+1]
	base := env * maxPoints
	n := count[env]
	for range g.Each(1) {
		centerline.ArcEnds(n, base, relaxed, end)
	}
	for i := range g.Each(n) {
		target := float32(float32(i)*end[base+n-1]) / float32(n)
		loop[base+i] = centerline.PointAtArc(n, base, relaxed, end, target)
	}

	for range g.Each(1) {
		var sum kernel.TwoFloat
		for i := int32(0); i < n; i++ {
			after := centerline.After(i, n)
			arclen[base+i] = sum.Float32()
			sum = sum.Add(loop[base+after].Sub(loop[base+i]).Len())
		}
		length[env] = sum.Float32()
	}
	for i := range g.Each(n) {
		before := centerline.Before(i, n)
		after := centerline.After(i, n)
		d := loop[base+after].Sub(loop[base+before])
		norm := kernel.Max(d.Len(), minNorm)
		tx := d.X / norm
		ty := d.Y / norm
		tangent[base+i] = kernel.V3(tx, ty, 0)
		normal[base+i] = kernel.V3(-ty, tx, 0)
	}

	// Signed areas of the centreline and of both candidates, summed in order.
	area := float32(0)
	areaLeft := float32(0)
	areaRight := float32(0)
	for i := int32(0); i < n; i++ {
		after := centerline.After(i, n)
		a := loop[base+i]
		b := loop[base+after]
		offsetA := kernel.V2(normal[base+i].X, normal[base+i].Y).Scale(halfWidth)
		offsetB := kernel.V2(normal[base+after].X, normal[base+after].Y).Scale(halfWidth)
		area += shoelace(a, b)
		areaLeft += shoelace(a.Add(offsetA), b.Add(offsetB))
		areaRight += shoelace(a.Sub(offsetA), b.Sub(offsetB))
	}
	outside := halfWidth
	if kernel.Abs(areaLeft) < kernel.Abs(areaRight) {
		outside = -halfWidth
	}
	for range g.Each(1) {
		sign := float32(0)
		if area > 0 {
			sign = 1
		}
		if area < 0 {
			sign = -1
		}
		winding[env] = sign
	}
	for i := range g.Each(maxPoints) {
		if i < n {
			p := loop[base+i]
			offset := kernel.V2(normal[base+i].X, normal[base+i].Y).Scale(outside)
			center[base+i] = kernel.V3(p.X, p.Y, zBase)
			outer[base+i] = kernel.V3(p.X+offset.X, p.Y+offset.Y, zBase)
			inner[base+i] = kernel.V3(p.X-offset.X, p.Y-offset.Y, zBase)
		} else {
			nan := kernel.NaN()
			padding := kernel.V3(nan, nan, zBase)
			center[base+i] = padding
			outer[base+i] = padding
			inner[base+i] = padding
			tangent[base+i] = kernel.V3(nan, nan, nan)
			normal[base+i] = kernel.V3(nan, nan, nan)
			arclen[base+i] = nan
		}
	}
}
