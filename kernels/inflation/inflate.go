package inflation

import (
	"github.com/trackgen-go/trackgen/kernel"
	"github.com/trackgen-go/trackgen/kernels/centerline"
)

const (
	minNorm  = 1e-8  // floor of the length that a level tangent is divided by
	minChord = 1e-12 // a way in space of this length or less has no direction
)

// signedAreas are twice the signed areas of a centreline and of the borders to its left and right.
type signedAreas struct{ center, left, right float32 }

// leftOf and rightOf return the border points beside a point, given its normal, which points left, and its width there.
func leftOf(p kernel.Vec2, normal kernel.Vec3, width float32) kernel.Vec2 {
	return kernel.V2(p.X+float32(normal.X*width), p.Y+float32(normal.Y*width))
}

func rightOf(p kernel.Vec2, normal kernel.Vec3, width float32) kernel.Vec2 {
	return kernel.V2(p.X-float32(normal.X*width), p.Y-float32(normal.Y*width))
}

// direction returns v divided by its length, or 0 for a v without length (docs/spec/course.md, C-13).
func direction(v kernel.Vec3) kernel.Vec3 {
	norm := v.Len()
	if !(norm > minChord) {
		return kernel.V3(0, 0, 0)
	}
	return kernel.V3(v.X/norm, v.Y/norm, v.Z/norm)
}

// areas sums the signed areas in the order of the points.
func areas(n, base int32, loop []kernel.Vec2, normal []kernel.Vec3, widthRight, widthLeft []float32) signedAreas {
	var sum signedAreas
	for i := int32(0); i < n; i++ {
		from := base + i
		to := base + centerline.After(i, n)
		a := loop[from]
		b := loop[to]
		sum.center += a.Cross(b)
		sum.left += leftOf(a, normal[from], widthLeft[from]).Cross(leftOf(b, normal[to], widthLeft[to]))
		sum.right += rightOf(a, normal[from], widthRight[from]).Cross(rightOf(b, normal[to], widthRight[to]))
	}
	return sum
}

// exactAreas is areas for lines far from the origin, where products of coordinates have no digits left for an area: it
// counts from the first point, and its sums are free of errors but for the last rounding.
func exactAreas(n, base int32, loop []kernel.Vec2, normal []kernel.Vec3, widthRight, widthLeft []float32) signedAreas {
	var center kernel.TwoFloat
	var left kernel.TwoFloat
	var right kernel.TwoFloat
	for i := int32(0); i < n; i++ {
		from := base + i
		to := base + centerline.After(i, n)
		a := loop[from].Sub(loop[base])
		b := loop[to].Sub(loop[base])
		center = center.Add(a.Cross(b))
		left = left.Add(leftOf(a, normal[from], widthLeft[from]).Cross(leftOf(b, normal[to], widthLeft[to])))
		right = right.Add(rightOf(a, normal[from], widthRight[from]).Cross(rightOf(b, normal[to], widthRight[to])))
	}
	return signedAreas{center: center.Float32(), left: left.Float32(), right: right.Float32()}
}

// inflate builds the road around the count[e] points of every loop: frame, winding and both borders, widthRight and
// widthLeft from the points and at their height (docs/spec/pipeline.md, section 7). With hills 1 the tangent is that of
// the line in space (docs/spec/course.md, C-13), and the normal stays level. The border with the larger area is outer,
// the left one where they are equal; with exact 1 the areas are those of exactAreas. One group is one env. All arrays
// of points have the stride maxPoints; what lies beyond count is NaN, but for the height.
//
// With banked 1, bank is the angle by which the road is tilted at each point, > 0 where the left border is higher:
// minus factor times the curvature, within limit, averaged along transition of the line with weights that fall to 0.
// Its slope raises one border and lowers the other. perimeter is the length in plan view, and mean a scratch row. With
// banked 0, neither these three arrays nor the numbers are used.
//
//kernel:group lanes=128
//kernel:iterations inflateIterations(maxPoints, banked, lanes)
func inflate(g kernel.Group, active []int32, maxPoints, exact, hills, banked int32, factor, limit, transition float32,
	loop []kernel.Vec2, widthRight, widthLeft, height []float32, count []int32, perimeter, mean, bank []float32,
	outer, center, inner, tangent, normal []kernel.Vec3, winding []float32) {
	if g.ID >= active[0] {
		return
	}
	env := active[g.ID+1]
	base := env * maxPoints
	n := count[env]
	for i := range g.Each(n) {
		d := loop[base+centerline.After(i, n)].Sub(loop[base+centerline.Before(i, n)])
		norm := kernel.Max(d.Len(), minNorm)
		tx := d.X / norm
		ty := d.Y / norm
		tangent[base+i] = kernel.V3(tx, ty, 0)
		normal[base+i] = kernel.V3(-ty, tx, 0)
		if hills != 0 {
			rise := height[base+centerline.After(i, n)] - height[base+centerline.Before(i, n)]
			tangent[base+i] = direction(kernel.V3(d.X, d.Y, rise))
		}
	}

	var area signedAreas
	if exact != 0 {
		area = exactAreas(n, base, loop, normal, widthRight, widthLeft)
	} else {
		area = areas(n, base, loop, normal, widthRight, widthLeft)
	}
	leftIsOuter := !(kernel.Abs(area.left) < kernel.Abs(area.right))
	for range g.Each(1) {
		sign := float32(0)
		if area.center > 0 {
			sign = 1
		}
		if area.center < 0 {
			sign = -1
		}
		winding[env] = sign
	}
	if banked != 0 {
		for i := range g.Each(n) {
			bank[base+i] = tilt(i, n, base, loop, factor, limit)
		}
		for range g.Each(1) {
			if n > 0 {
				half := halfWindow(n, transition, perimeter[env])
				means(half, n, base, bank, mean)
				means(half, n, base, mean, bank)
			}
		}
	}
	for i := range g.Each(maxPoints) {
		z := height[base+i]
		if i < n {
			p := loop[base+i]
			left := leftOf(p, normal[base+i], widthLeft[base+i])
			right := rightOf(p, normal[base+i], widthRight[base+i])
			center[base+i] = kernel.V3(p.X, p.Y, z)
			leftZ := z
			rightZ := z
			if banked != 0 {
				angle := kernel.Clamp(bank[base+i], -limit, limit)
				bank[base+i] = angle
				slope := bankSlope(angle)
				leftZ = z + float32(slope*widthLeft[base+i])
				rightZ = z - float32(slope*widthRight[base+i])
			}
			if leftIsOuter {
				outer[base+i] = kernel.V3(left.X, left.Y, leftZ)
				inner[base+i] = kernel.V3(right.X, right.Y, rightZ)
			} else {
				outer[base+i] = kernel.V3(right.X, right.Y, rightZ)
				inner[base+i] = kernel.V3(left.X, left.Y, leftZ)
			}
		} else {
			nan := kernel.NaN()
			padding := kernel.V3(nan, nan, z)
			center[base+i] = padding
			outer[base+i] = padding
			inner[base+i] = padding
			tangent[base+i] = kernel.V3(nan, nan, nan)
			normal[base+i] = kernel.V3(nan, nan, nan)
			if banked != 0 {
				bank[base+i] = nan
			}
		}
	}
}
