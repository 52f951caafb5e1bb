package kernel

// Atan returns the arc tangent of x, in [-pi/2, pi/2].
//
// Worst error over all float32: 0.680 ulp.
func Atan(x float32) float32 { return Atan2(x, 1) }

// Atan2 returns the angle of the point (x, y), in [-pi, pi], with the sign of y. Zeros, infinities and NaN are treated
// as by math.Atan2.
//
// Worst error found over 8e8 points of all exponents and directions: 0.771 ulp.
func Atan2(y, x float32) float32 {
	if x != x || y != y {
		return NaN()
	}
	ax := Abs(x)
	ay := Abs(y)
	large := Max(ax, ay)
	small := Min(ax, ay)
	negativeX := Float32Bits(x)&0x80000000 != 0
	if large == 0 && !negativeX {
		return y
	}
	if large == 0 {
		large = 1
	}
	if !IsFinite(small) {
		large = 1
		small = 1
	}
	ratio := small / large

	// The angle is octant * pi/4 + t + tail, |t| <= 1/2, up to the sign of y.
	octant := int32(0)
	t := ratio
	tail := float32(0)
	if ratio < 0x1p-14 {
		if ay <= ax && !negativeX {
			return y / x
		}
	} else {
		if large > 0x1p+100 {
			large = float32(large * 0x1p-60)
			small = float32(small * 0x1p-60)
		}
		if large < 0x1p-60 {
			large = float32(large * 0x1p+64)
			small = float32(small * 0x1p+64)
		}
		numerator := small
		denominator := TwoFloat{Hi: large}
		if ratio > 0.5 { // atan(r) = pi/4 + atan((r-1)/(r+1)); the difference is exact
			octant = 1
			numerator = small - large
			denominator = QuickTwoSum(large, small)
			t = numerator / denominator.Hi
		}
		// The quotient to more than 24 bits, then atan(t) = t + t^3 p(t^2), p by a minimax fit.
		product := TwoProd(t, denominator.Hi)
		rest := (((numerator - product.Hi) - product.Lo) - float32(t*denominator.Lo)) / denominator.Hi
		z := float32(t * t)
		p := float32(z*0x1.3f98aap-5) - 0x1.47f982p-4
		p = float32(z*p) + 0x1.c06dccp-4
		p = float32(z*p) - 0x1.244ff6p-3
		p = float32(z*p) + 0x1.999742p-3
		p = float32(z*p) - 0x1.555552p-2
		tail = float32(z*t*p) + float32((1-z)*rest)
	}
	if ay > ax {
		octant = 2 - octant
		t = -t
		tail = -tail
	}
	if negativeX {
		octant = 4 - octant
		t = -t
		tail = -tail
	}
	hi := float32(0)
	lo := float32(0)
	switch octant {
	case 1:
		hi = 0x1.921fb6p-1
		lo = -0x1.777a5cp-26
	case 2:
		hi = 0x1.921fb6p+0
		lo = -0x1.777a5cp-25
	case 3:
		hi = 0x1.2d97c8p+1
		lo = -0x1.99bc5cp-28
	case 4:
		hi = 0x1.921fb6p+1
		lo = -0x1.777a5cp-24
	}
	sum := QuickTwoSum(hi, t)
	return CopySign(sum.Hi+(sum.Lo+(lo+tail)), y)
}
