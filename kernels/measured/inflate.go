package measured

import (
	"github.com/trackgen-go/trackgen/kernel"
	"github.com/trackgen-go/trackgen/kernels/centerline"
)

const minNorm = 1e-8 // floor of the length that a tangent is divided by

// leftOf and rightOf return the border points beside a point, given its normal, which points left, and its widths.
func leftOf(p kernel.Vec2, normal kernel.Vec3, side kernel.Vec2) kernel.Vec2 {
	return kernel.V2(p.X+float32(normal.X*side.Y), p.Y+float32(normal.Y*side.Y))
}

func rightOf(p kernel.Vec2, normal kernel.Vec3, side kernel.Vec2) kernel.Vec2 {
	return kernel.V2(p.X-float32(normal.X*side.X), p.Y-float32(normal.Y*side.X))
}

// inflate builds the road around the count[0] points of a loop: frame, arc length, winding, widths and both borders, at
// height zBase. The left border lies sides[i].Y along the normal and the right one sides[i].X against it. As for generated
// tracks the border with the larger area is outer, the left one if they are equal (docs/spec/pipeline.md, section 7).
// All arrays of points have maxPoints elements; what lies beyond count is NaN, but for the height.
//
//kernel:group lanes=128
//kernel:iterations inflateIterations(maxPoints, lanes)
func inflate(g kernel.Group, maxPoints int32, zBase float32, loop, sides []kernel.Vec2, count []int32,
	outer, center, inner, tangent, normal []kernel.Vec3, widthRight, widthLeft, arclen, length, winding []float32) {
	if g.ID > 0 {
		return
	}
	n := count[0]
	for range g.Each(1) {
		var sum kernel.TwoFloat
		for i := int32(0); i < n; i++ {
			arclen[i] = sum.Float32()
			sum = sum.Add(loop[centerline.After(i, n)].Sub(loop[i]).Len())
		}
		length[0] = sum.Float32()
	}
	for i := range g.Each(n) {
		d := loop[centerline.After(i, n)].Sub(loop[centerline.Before(i, n)])
		norm := kernel.Max(d.Len(), minNorm)
		tx := d.X / norm
		ty := d.Y / norm
		tangent[i] = kernel.V3(tx, ty, 0)
		normal[i] = kernel.V3(-ty, tx, 0)
	}

	// Twice the signed areas of the centreline and of both borders, summed in order. Coordinates are taken from the first
	// point: real ones may be far from the origin, where products of them have no digits left for an area.
	var area kernel.TwoFloat
	var areaLeft kernel.TwoFloat
	var areaRight kernel.TwoFloat
	for i := int32(0); i < n; i++ {
		after := centerline.After(i, n)
		a := loop[i].Sub(loop[0])
		b := loop[after].Sub(loop[0])
		area = area.Add(a.Cross(b))
		areaLeft = areaLeft.Add(leftOf(a, normal[i], sides[i]).Cross(leftOf(b, normal[after], sides[after])))
		areaRight = areaRight.Add(rightOf(a, normal[i], sides[i]).Cross(rightOf(b, normal[after], sides[after])))
	}
	leftIsOuter := !(kernel.Abs(areaLeft.Float32()) < kernel.Abs(areaRight.Float32()))
	for range g.Each(1) {
		sign := float32(0)
		if area.Float32() > 0 {
			sign = 1
		}
		if area.Float32() < 0 {
			sign = -1
		}
		winding[0] = sign
	}
	for i := range g.Each(maxPoints) {
		if i < n {
			p := loop[i]
			left := leftOf(p, normal[i], sides[i])
			right := rightOf(p, normal[i], sides[i])
			center[i] = kernel.V3(p.X, p.Y, zBase)
			widthRight[i] = sides[i].X
			widthLeft[i] = sides[i].Y
			if leftIsOuter {
				outer[i] = kernel.V3(left.X, left.Y, zBase)
				inner[i] = kernel.V3(right.X, right.Y, zBase)
			} else {
				outer[i] = kernel.V3(right.X, right.Y, zBase)
				inner[i] = kernel.V3(left.X, left.Y, zBase)
			}
		} else {
			nan := kernel.NaN()
			padding := kernel.V3(nan, nan, zBase)
			center[i] = padding
			outer[i] = padding
			inner[i] = padding
			tangent[i] = kernel.V3(nan, nan, nan)
			normal[i] = kernel.V3(nan, nan, nan)
			arclen[i] = nan
			widthRight[i] = nan
			widthLeft[i] = nan
		}
	}
}
