package vehicle

import "github.com/trackgen-go/trackgen/kernel"

const (
	pi       = 0x1.921fb6p+1
	turnHigh = 0x1.92p+2      // 2 pi with few digits, so that its product with a small whole number is exact
	turnLow  = 0x1.fb5444p-10 // 2 pi - turnHigh
	perTurn  = 0x1.45f306p-3  // 1 / (2 pi)
)

// sincos returns the sine and the cosine of x to within 2e-7 if x is less than a hundred turns, and numbers from -1 to
// 1 for every other finite x. It is shorter than kernel.Sincos, of which the many copies would make a shader too long.
func sincos(x float32) (sin, cos float32) {
	r := x
	quarter := int32(0)
	if shifted := float32(x*(4*perTurn)) + 0.5; !(shifted >= 0 && shifted < 1) {
		quarters := kernel.Floor(shifted)
		r = x - float32(quarters*(turnHigh/4)) - float32(quarters*(turnLow/4))
		r = kernel.Clamp(r, -1, 1) // of a few turns, it is at most pi/4
		quarter = kernel.ToInt32(quarters)
	}
	q := float32(r * r)
	s := float32(q * (1.0/120 - float32(q*(1.0/5040-float32(q*(1.0/362880))))))
	s = r - float32(float32(r*q)*(1.0/6-s))
	c := float32(q * (1.0/24 - float32(q*(1.0/720-float32(q*(1.0/40320))))))
	c = 1 - float32(q*(0.5-c))
	sin = s
	cos = c
	if quarter&1 != 0 {
		sin = c
		cos = -s
	}
	if quarter&2 != 0 {
		sin = -sin
		cos = -cos
	}
	return sin, cos
}

// wrapped returns the angle from -pi to pi that differs from x by whole turns.
func wrapped(x float32) float32 {
	if kernel.Abs(x) <= pi {
		return x
	}
	turns := kernel.Floor(float32(x*perTurn) + 0.5)
	return kernel.Clamp(x-float32(turns*turnHigh)-float32(turns*turnLow), -pi, pi)
}
