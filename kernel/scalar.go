package kernel

import "math"

// NaNBits is the one bit pattern that fills the unused elements of an output array.
const NaNBits uint32 = 0x7fc00000

// NaN returns the float32 with the pattern NaNBits.
func NaN() float32 { return Float32FromBits(NaNBits) }

// Inf returns positive infinity.
func Inf() float32 { return Float32FromBits(0x7f800000) }

// Float32Bits returns the IEEE 754 pattern of x.
func Float32Bits(x float32) uint32 { return math.Float32bits(x) }

// Float32FromBits returns the float32 with the IEEE 754 pattern b.
func Float32FromBits(b uint32) float32 { return math.Float32frombits(b) }

// IsNaN reports whether x is any NaN.
func IsNaN(x float32) bool { return x != x }

// IsFinite reports whether x is neither infinite nor a NaN.
func IsFinite(x float32) bool { return Float32Bits(x)&0x7f800000 != 0x7f800000 }

// Abs returns x with its sign bit cleared, for a NaN too.
func Abs(x float32) float32 { return Float32FromBits(Float32Bits(x) & 0x7fffffff) }

// CopySign returns the magnitude of x with the sign bit of sign.
func CopySign(x, sign float32) float32 {
	return Float32FromBits(Float32Bits(x)&0x7fffffff | Float32Bits(sign)&0x80000000)
}

// Min returns a if a < b, else b. Hence b if either is a NaN, and b of two zeros of different sign.
func Min(a, b float32) float32 {
	// Of two integers that are there, the compiler chooses without a jump, which a processor often cannot foresee.
	x := Float32Bits(a)
	y := Float32Bits(b)
	if a < b {
		y = x
	}
	return Float32FromBits(y)
}

// Max returns a if a > b, else b. Hence b if either is a NaN, and b of two zeros of different sign.
func Max(a, b float32) float32 {
	x := Float32Bits(a) // as in Min
	y := Float32Bits(b)
	if a > b {
		y = x
	}
	return Float32FromBits(y)
}

// Clamp returns lo if x < lo, hi if x > hi, else x; a NaN x stays itself. lo is at most hi.
func Clamp(x, lo, hi float32) float32 {
	if x < lo {
		return lo
	}
	if x > hi {
		return hi
	}
	return x
}

// Sqrt returns the exactly rounded square root of x, a NaN for x < 0, and x itself for a zero.
func Sqrt(x float32) float32 { return float32(math.Sqrt(float64(x))) }

// Floor returns the greatest integer not above x. A zero, an infinity and a NaN are returned as they are.
func Floor(x float32) float32 {
	if x == 0 || !(Abs(x) < 8388608) { // 2^23 and everything above it is an integer
		return x
	}
	t := float32(ToInt32(x))
	if t > x {
		return t - 1
	}
	return t
}

// ToInt32 rounds x toward zero. Values beyond the range of int32 give its nearest end, a NaN gives 0. It is the only
// conversion from float32 to an integer in a kernel: Go leaves the others to the processor where the value does not
// fit.
func ToInt32(x float32) int32 {
	if x >= 1<<31 {
		return math.MaxInt32
	}
	if x < -1<<31 {
		return math.MinInt32
	}
	if x != x {
		return 0
	}
	return int32(x)
}
