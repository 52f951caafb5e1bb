package kernel

const (
	log2E float32 = 0x1.715476p+0
	ln2Hi float32 = 0x1.62e4p-1    // 15 bits, so that its product with an exponent is exact
	ln2Lo float32 = 0x1.7f7d1cp-20 // log(2) - ln2Hi

	// roundingShift is 1.5 * 2^23: adding it to |x| < 2^22 rounds x to an integer, which then fills the low bits of the
	// sum.
	roundingShift float32 = 12582912
)

// powerOfTwo returns 2^n for -126 <= n <= 127.
func powerOfTwo(n int32) float32 { return Float32FromBits(uint32(n+127) << 23) }

// Exp returns e^x. Exp(+Inf) is +Inf, Exp(-Inf) is 0 and Exp(NaN) is NaN.
//
// Worst error over all float32: 0.763 ulp.
func Exp(x float32) float32 {
	if x != x {
		return NaN()
	}
	if x > 88.72284 {
		return Inf()
	}
	if x < -103.97208 {
		return 0
	}
	// x = k log(2) + r, |r| <= log(2)/2 (Cody and Waite); e^r = 1 + r + r^2 q(r), q by a minimax fit.
	shifted := float32(x*log2E) + roundingShift
	k := int32(Float32Bits(shifted) - 0x4b400000)
	n := shifted - roundingShift
	hi := x - float32(n*ln2Hi)
	lo := float32(n * ln2Lo)
	r := hi - lo
	q := float32(r*0x1.9f085ep-13) + 0x1.6d8d52p-10
	q = float32(r*q) + 0x1.111272p-7
	q = float32(r*q) + 0x1.55548ep-5
	q = float32(r*q) + 0x1.555554p-3
	q = float32(r*q) + 0.5
	// 1 + hi is split exactly, so that only the last sum rounds noticeably.
	s := 1 + hi
	y := s + ((hi - (s - 1)) + (float32(r*r*q) - lo))
	half := k >> 1
	return float32(y * powerOfTwo(half) * powerOfTwo(k-half))
}

// Log returns the natural logarithm. Log(+Inf) is +Inf, Log(0) is -Inf, Log(x < 0) and Log(NaN) are NaN.
//
// Worst error over all float32: 0.840 ulp.
func Log(x float32) float32 {
	if x == 0 {
		return -Inf()
	}
	if !(x > 0) {
		return NaN()
	}
	bits := Float32Bits(x)
	if bits >= 0x7f800000 {
		return x
	}
	k := int32(0)
	if bits < 0x00800000 { // a denormal
		bits = Float32Bits(float32(x * 8388608))
		k = -23
	}
	// x = 2^k (1+f), sqrt(1/2) <= 1+f < sqrt(2). With s = f/(2+f), log(1+f) = f - f^2/2 + s (f^2/2 + R(s^2)) (fdlibm),
	// R by a minimax fit.
	bits += 0x3f800000 - 0x3f3504f3
	k += int32(bits>>23) - 127
	f := Float32FromBits((bits&0x007fffff)+0x3f3504f3) - 1
	s := f / (2 + f)
	z := float32(s * s)
	p := float32(z*0x1.31e1a8p-2) + 0x1.995edp-2
	p = float32(z*p) + 0x1.55557ap-1
	halfSquare := float32(0.5 * f * f)
	n := float32(k)
	// n ln2Hi is exact, and its sum with f is split exactly.
	head := QuickTwoSum(float32(n*ln2Hi), f)
	tail := (float32(s*(halfSquare+float32(z*p))) + float32(n*ln2Lo)) - halfSquare
	return head.Hi + (head.Lo + tail)
}
