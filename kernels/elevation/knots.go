package elevation

import (
	"github.com/trackgen-go/trackgen/kernel"
	"github.com/trackgen-go/trackgen/kernels/centerline"
)

// flattest is the largest ratio of the slope at a knot to the slope of the flatter part beside it with which a piece of
// a curve still has no height beyond those of its knots (Fritsch and Carlson, 1980).
const flattest = 3

// tangentSlope returns the slope of the curve at a knot between two parts of the slopes before and after: 0 at a
// highest or a lowest knot, else their mean within the limit that keeps the curve monotone (C-12).
func tangentSlope(before, after float32) float32 {
	if float32(before*after) <= 0 {
		return 0
	}
	limit := float32(flattest * kernel.Min(kernel.Abs(before), kernel.Abs(after)))
	return kernel.Clamp(float32(0.5*(before+after)), -limit, limit)
}

// slope returns the slope of the straight line from knot k to the next one of n, which are step apart.
func slope(k, n, base int32, knot []float32, step float32) float32 {
	return (knot[base+centerline.After(k, n)] - knot[base+k]) / step
}

// HeightBetween returns the height at an arc length of the closed curve through n knots at equal distances, with the
// heights knot[base..base+n): a piecewise cubic Hermite curve, which is monotone between two knots (C-12). perimeter is
// that of the line; a shorter one than minPerimeter has the height of its first knot everywhere.
func HeightBetween(n, base int32, knot []float32, arc, perimeter float32) float32 {
	if !(perimeter > minPerimeter) {
		return knot[base]
	}
	step := perimeter / float32(n)
	x := float32((arc / perimeter) * float32(n))
	k := max(min(kernel.ToInt32(x), n-1), 0)
	t := kernel.Clamp(x-float32(k), 0, 1)
	before, after := centerline.Before(k, n), centerline.After(k, n)
	here := slope(k, n, base, knot, step)
	from := tangentSlope(slope(before, n, base, knot, step), here)
	to := tangentSlope(here, slope(after, n, base, knot, step))
	t2 := float32(t * t)
	t3 := float32(t2 * t)
	z := float32(((float32(2*t3) - float32(3*t2)) + 1) * knot[base+k])
	z += float32(float32(((t3-float32(2*t2))+t)*step) * from)
	z += float32((float32(3*t2) - float32(2*t3)) * knot[base+after])
	return z + float32(float32((t3-t2)*step)*to)
}
