package inflation

import (
	"github.com/trackgen-go/trackgen/kernel"
	"github.com/trackgen-go/trackgen/kernels/centerline"
)

// BankNames are the names of the profiles of banking in configurations: the index is what kernel inflate reads.
var BankNames = []string{"none", "curvature"}

// tilt returns the bank angle at point i of n for the bend there alone: minus factor times the curvature of the circle
// through three points, within limit on either side. It is > 0 where the left border is higher, which is the outside of
// a bend to the right.
func tilt(i, n, base int32, loop []kernel.Vec2, factor, limit float32) float32 {
	before := loop[base+centerline.Before(i, n)]
	p := loop[base+i]
	after := loop[base+centerline.After(i, n)]
	angle := kernel.Min(float32(factor*Curvature(before, p, after)), limit)
	if p.Sub(before).Cross(after.Sub(p)) > 0 {
		angle = -angle
	}
	return angle
}

// halfWindow returns how many points on either side two means take, one after the other, so that their weights fall to
// 0 at half of transition. n points go around a line of the given perimeter. A step from -limit to limit becomes a
// slope of at most 4 limit on a way of transition.
func halfWindow(n int32, transition, perimeter float32) int32 {
	step := perimeter / kernel.Max(float32(n), 1)
	most := kernel.Max(float32((n-1)/2), 0)
	half := float32(0.25*transition)/kernel.Max(step, minNorm) + 0.5
	return kernel.ToInt32(kernel.Min(half, most))
}

// means stores in to the mean of each of n values around a loop with half values before and half after it.
func means(half, n, base int32, from, to []float32) {
	var sum kernel.TwoFloat
	for k := n - half; k <= n+half; k++ {
		sum = sum.Add(from[base+k%n])
	}
	for i := int32(0); i < n; i++ {
		to[base+i] = sum.Float32() / float32(2*half+1)
		sum = sum.Add(from[base+(i+half+1)%n])
		sum = sum.Add(-from[base+(i+n-half)%n])
	}
}

// bankSlope returns the tangent of a bank angle from -1 to 1. The Taylor polynomials of sine and cosine are exact to
// float32 in this range, and need fewer registers than kernel.Sin and kernel.Cos, which take any angle.
func bankSlope(angle float32) float32 {
	x := float32(angle * angle)
	sin := float32(x*(1.0/362880)) - 1.0/5040
	sin = float32(x*sin) + 1.0/120
	sin = float32(x*sin) - 1.0/6
	sin = angle + float32(float32(angle*x)*sin)
	cos := float32(x*(-1.0/3628800)) + 1.0/40320
	cos = float32(x*cos) - 1.0/720
	cos = float32(x*cos) + 1.0/24
	cos = float32(x*cos) - 0.5
	return sin / (1 + float32(x*cos))
}
