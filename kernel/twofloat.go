package kernel

// TwoFloat is an unevaluated sum Hi + Lo of two float32 with |Lo| at most half an ulp of Hi: a number of about 48 bits.
// Sums that need more than the 24 bits of a float32 (arc lengths, centroids, areas) use it, because kernels have no
// float64.
//
// Every result is such a pair again if no operation overflows and no Lo falls below the normal range. The bounds of the
// relative error of the methods, with u = 2^-24, are those of Joldes, Muller and Popescu, "Tight and Rigorous Error
// Bounds for Basic Building Blocks of Double-Word Arithmetic", ACM TOMS 44(2), 2017.
type TwoFloat struct{ Hi, Lo float32 }

// TwoSum returns a + b exactly (Knuth).
func TwoSum(a, b float32) TwoFloat {
	s := a + b
	bb := s - a
	return TwoFloat{Hi: s, Lo: (a - (s - bb)) + (b - bb)}
}

// QuickTwoSum returns a + b exactly if |a| >= |b| or a is zero (Dekker).
func QuickTwoSum(a, b float32) TwoFloat {
	s := a + b
	return TwoFloat{Hi: s, Lo: b - (s - a)}
}

// upper12 returns x rounded to 12 significant bits; x minus it fits in 11 bits and a sign.
func upper12(x float32) float32 { return Float32FromBits((Float32Bits(x) + 0x800) & 0xfffff000) }

// TwoProd returns a * b exactly, by products of half-length factors (Dekker), without a fused multiply-add. The factors
// are finite and below 2^127, and the product is zero or at least 2^-100.
func TwoProd(a, b float32) TwoFloat {
	p := float32(a * b)
	ah := upper12(a)
	al := a - ah
	bh := upper12(b)
	bl := b - bh
	return TwoFloat{Hi: p, Lo: ((float32(ah*bh) - p) + float32(ah*bl) + float32(al*bh)) + float32(al*bl)}
}

// Add returns x + y; relative error at most 2u^2.
func (x TwoFloat) Add(y float32) TwoFloat {
	s := TwoSum(x.Hi, y)
	return QuickTwoSum(s.Hi, x.Lo+s.Lo)
}

// Sub returns x - y; relative error at most 2u^2.
func (x TwoFloat) Sub(y float32) TwoFloat { return x.Add(-y) }

// AddTwo returns x + y; relative error below 3.01u^2.
func (x TwoFloat) AddTwo(y TwoFloat) TwoFloat {
	s := TwoSum(x.Hi, y.Hi)
	t := TwoSum(x.Lo, y.Lo)
	v := QuickTwoSum(s.Hi, s.Lo+t.Hi)
	return QuickTwoSum(v.Hi, t.Lo+v.Lo)
}

// SubTwo returns x - y; relative error below 3.01u^2.
func (x TwoFloat) SubTwo(y TwoFloat) TwoFloat { return x.AddTwo(TwoFloat{Hi: -y.Hi, Lo: -y.Lo}) }

// Mul returns x * y; relative error at most 3u^2. The range is that of TwoProd.
func (x TwoFloat) Mul(y float32) TwoFloat {
	p := TwoProd(x.Hi, y)
	return QuickTwoSum(p.Hi, p.Lo+float32(x.Lo*y))
}

// MulTwo returns x * y; relative error below 7u^2. The range is that of TwoProd.
func (x TwoFloat) MulTwo(y TwoFloat) TwoFloat {
	p := TwoProd(x.Hi, y.Hi)
	return QuickTwoSum(p.Hi, p.Lo+(float32(x.Hi*y.Lo)+float32(x.Lo*y.Hi)))
}

// Div returns x / y; relative error at most 3u^2. y is not zero; the ranges of x and of x / y are those of TwoProd.
func (x TwoFloat) Div(y float32) TwoFloat {
	q := x.Hi / y
	p := TwoProd(q, y)
	return QuickTwoSum(q, ((x.Hi-p.Hi)+(x.Lo-p.Lo))/y)
}

// Float32 returns the nearest float32.
func (x TwoFloat) Float32() float32 { return x.Hi + x.Lo }
