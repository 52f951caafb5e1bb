package kernel

// Sin returns the sine of x radians. Sin(+-0) is +-0; Sin of an infinity or a NaN is NaN.
//
// Worst error over all float32: 0.772 ulp.
func Sin(x float32) float32 {
	magnitude := Abs(x)
	if magnitude < 0x1p-12 {
		return x
	}
	if !IsFinite(x) {
		return NaN()
	}
	a := reduceAngle(magnitude)
	var y float32
	if a.quadrant&1 == 0 {
		y = sinOctant(a.hi, a.lo)
	} else {
		y = cosOctant(a.hi, a.lo)
	}
	return flipSign(y, a.quadrant<<30^Float32Bits(x))
}

// Cos returns the cosine of x radians. Cos of an infinity or a NaN is NaN.
//
// Worst error over all float32: 0.776 ulp.
func Cos(x float32) float32 {
	if !IsFinite(x) {
		return NaN()
	}
	a := reduceAngle(Abs(x))
	var y float32
	if a.quadrant&1 == 0 {
		y = cosOctant(a.hi, a.lo)
	} else {
		y = sinOctant(a.hi, a.lo)
	}
	return flipSign(y, (a.quadrant+1)<<30)
}

// Sincos returns Sin(x) and Cos(x), the same bits, for less than the cost of both.
func Sincos(x float32) (sin, cos float32) {
	magnitude := Abs(x)
	if !IsFinite(x) {
		return NaN(), NaN()
	}
	a := reduceAngle(magnitude)
	s := sinOctant(a.hi, a.lo)
	c := cosOctant(a.hi, a.lo)
	if a.quadrant&1 != 0 {
		t := s
		s = c
		c = t
	}
	if magnitude < 0x1p-12 {
		s = magnitude
	}
	return flipSign(s, a.quadrant<<30^Float32Bits(x)), flipSign(c, (a.quadrant+1)<<30)
}

// flipSign returns x, negated if the top bit of sign is set.
func flipSign(x float32, sign uint32) float32 {
	return Float32FromBits(Float32Bits(x) ^ sign&0x80000000)
}

// sinOctant returns sin(r + l) for |r| <= pi/4 and l within a few ulp of r.
func sinOctant(r, l float32) float32 {
	z := float32(r * r)
	p := float32(z*0x1.7c2c4ep-19) - 0x1.a05954p-13
	p = float32(z*p) + 0x1.111174p-7
	p = float32(z*p) - 0x1.555556p-3
	return r + (float32(z*r*p) + float32(l*(1-float32(0.5*z))))
}

// cosOctant returns cos(r + l) for |r| <= pi/4 and l within a few ulp of r.
func cosOctant(r, l float32) float32 {
	z := float32(r * r)
	p := float32(z*0x1.99e80cp-16) - 0x1.6c0c28p-10
	p = float32(z*p) + 0x1.55554ap-5
	// 1 - r^2/2 to more than 24 bits: the square of the upper 12 bits of r is exact, the rest is small.
	upper := Float32FromBits(Float32Bits(r) & 0xfffff000)
	head := float32(0.5 * upper * upper)
	rest := float32(0.5 * (r - upper) * (r + upper))
	s := 1 - head
	return s + (((1 - s) - head) + ((float32(z*z*p) - rest) - float32(r*l)))
}

// reducedAngle is an angle modulo pi/2: quadrant * pi/2 + hi + lo, |hi + lo| <= pi/4 (and a few ulp). The quadrant
// counts modulo 4.
type reducedAngle struct {
	hi, lo   float32
	quadrant uint32 // only the lowest two bits count
}

// reduceAngle reduces a finite x >= 0. hi + lo has a relative error below 2^-32, at the worst x too.
func reduceAngle(x float32) reducedAngle {
	if x <= 0x1.921fb4p-1 { // pi/4
		return reducedAngle{hi: x}
	}
	if x < 256 {
		return reduceSmallAngle(x)
	}
	return reduceLargeAngle(x)
}

// reduceSmallAngle subtracts a multiple n < 256 of pi/2, held in parts of 16, 15, 16 and 24 bits whose products with n
// are exact but for the last (Cody and Waite). The first two subtractions, summed, are exact too.
func reduceSmallAngle(x float32) reducedAngle {
	const (
		part1 = 0x1.921ep+0
		part2 = 0x1.b544p-16
		part3 = 0x1.0b46p-34
		part4 = 0x1.1a6264p-54
	)
	shifted := float32(x*0x1.45f306p-1) + roundingShift
	n := shifted - roundingShift
	t := x - float32(n*part1)
	m := float32(n * part2)
	a := t - m
	b := ((t - a) - m) - float32(n*part3)
	b -= float32(n * part4)
	s := QuickTwoSum(a, b)
	return reducedAngle{hi: s.Hi, lo: s.Lo, quadrant: Float32Bits(shifted)}
}

// reduceLargeAngle multiplies x >= 256 by those 96 bits of 2/pi that decide the quadrant and its fraction, in integers
// (Payne and Hanek).
func reduceLargeAngle(x float32) reducedAngle {
	bits := Float32Bits(x)
	mantissa := bits&0x007fffff | 0x00800000
	// x = mantissa * 2^(exponent-150). The window starts two bits above the binary point of the product, modulo 4.
	start := bits>>23 - 120
	word := start >> 5
	shift := start & 31
	w0 := twoOverPi(word)
	w1 := twoOverPi(word + 1)
	w2 := twoOverPi(word + 2)
	w3 := twoOverPi(word + 3)
	if shift != 0 {
		w0 = w0<<(shift&31) | w1>>((32-shift)&31)
		w1 = w1<<(shift&31) | w2>>((32-shift)&31)
		w2 = w2<<(shift&31) | w3>>((32-shift)&31)
	}
	// The low 96 bits of mantissa * (w0, w1, w2).
	p2 := mantissa * w2
	p1 := mantissa * w1
	p0 := mantissa*w0 + multiplyHigh(mantissa, w1)
	carry := multiplyHigh(mantissa, w2)
	p1 += carry
	if p1 < carry {
		p0++
	}
	quadrant := p0 >> 30
	f0 := p0<<2 | p1>>30
	f1 := p1<<2 | p2>>30
	negative := f0 & 0x80000000
	if negative != 0 { // nearer to the next quadrant
		quadrant++
		f0 = ^f0
		f1 = -f1
		if f1 == 0 {
			f0++
		}
	}
	// The fraction (f0, f1) * 2^-64 of a quadrant, in three exact floats, the first two summed exactly.
	a := float32(float32(int32(f0>>8)) * 0x1p-24)
	b := float32(float32(int32((f0&0xff)<<16|f1>>16)) * 0x1p-48)
	c := float32(float32(int32(f1&0xffff)) * 0x1p-64)
	fraction := QuickTwoSum(a, b)
	fraction.Lo += c
	radians := TwoProd(fraction.Hi, 0x1.921fb6p+0)
	lo := radians.Lo + (float32(fraction.Hi*-0x1.777a5cp-25) + float32(fraction.Lo*0x1.921fb6p+0))
	return reducedAngle{hi: flipSign(radians.Hi, negative), lo: flipSign(lo, negative), quadrant: quadrant}
}

// twoOverPi returns the i-th word of a zero word followed by the binary fraction of 2/pi, for i < 8.
func twoOverPi(i uint32) uint32 {
	switch i {
	case 1:
		return 0xa2f9836e
	case 2:
		return 0x4e441529
	case 3:
		return 0xfc2757d1
	case 4:
		return 0xf534ddc0
	case 5:
		return 0xdb629599
	case 6:
		return 0x3c439041
	case 7:
		return 0xfe5163ab
	default:
		return 0
	}
}

// multiplyHigh returns the upper 32 bits of a * b.
func multiplyHigh(a, b uint32) uint32 {
	al := a & 0xffff
	ah := a >> 16
	bl := b & 0xffff
	bh := b >> 16
	middle := ah*bl + al*bl>>16
	return ah*bh + middle>>16 + (al*bh+middle&0xffff)>>16
}
