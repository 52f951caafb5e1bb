package backendtest

import (
	"math"
	"math/rand/v2"
	"slices"
)

// hardFloats are bit patterns that a faulty device handles incorrectly: signed zeros, denormals, the limits of the
// exponent range, numbers that need rounding, infinities and NaN with payloads.
var hardFloats = []uint32{
	0x00000000, 0x80000000, // zeros
	0x00000001, 0x80000001, 0x00400000, 0x007fffff, 0x807fffff, // denormals
	0x00800000, 0x80800000, 0x00800001, 0x01000000, // smallest normals
	0x3f800000, 0xbf800000, 0x3f7fffff, 0x3f800001, 0x40400000, 0x3eaaaaab, // near one, and a third
	0x4b7fffff, 0x4b800000, 0x4b800001, 0xcb800001, // near 2^24
	0x4effffff, 0x4f000000, 0xcf000000, 0xcf000001, 0x4f800000, // near 2^31 and 2^32
	0x7f7fffff, 0xff7fffff, 0x7f7ffffe, 0x7f000000, // largest
	0x7f800000, 0xff800000, // infinities
	0x7fc00000, 0xffc00000, 0x7fc12345, 0x7fffffff, 0x7f800001, 0xff812345, // NaN: quiet, with payload, signalling
}

// hardInts are the integers at which arithmetic wraps or a conversion rounds.
var hardInts = []int32{
	0, 1, -1, 2, -2, 3, -3, 7, -7, 31, 32, 33, -31, -32, 255, 256, 65535, 65536, -65536, 46340, 46341,
	16777215, 16777216, 16777217, -16777217, math.MaxInt32, math.MaxInt32 - 1, math.MinInt32, math.MinInt32 + 1,
}

// pairs returns all pairs of the values as two lists, padded with random pairs to n.
func pairs[T any](values []T, n int, random func(r *rand.Rand) T) (x, y []T) {
	for _, a := range values {
		for _, b := range values {
			x, y = append(x, a), append(y, b)
		}
	}
	r := rand.New(rand.NewPCG(1, uint64(n)))
	for len(x) < n {
		x, y = append(x, random(r)), append(y, random(r))
	}
	return x[:n], y[:n]
}

// farFromDenormals returns whether a few operations on such numbers have no denormal inputs or results: it is a zero,
// an infinity, a NaN, or of a size between 2^-40 and 2^40.
func farFromDenormals(bits uint32) bool {
	exponent := bits >> 23 & 0xff
	return bits&0x7fffffff == 0 || exponent == 0xff || exponent >= 127-40 && exponent < 127+40
}

// floatPairs returns n pairs of floats: hard ones first, then random bit patterns. If the device does not keep
// denormals, all of them are far from denormals: what such a device may do with others is not fixed.
func (c *check) floatPairs(n int) (x, y []float32) {
	hard, random := hardFloats, (*rand.Rand).Uint32
	if !c.device.Caps().Denormals {
		hard = slices.DeleteFunc(slices.Clone(hard), func(bits uint32) bool { return !farFromDenormals(bits) })
		random = func(r *rand.Rand) uint32 { return r.Uint32()&0x807fffff | (127-40+r.Uint32N(80))<<23 }
	}
	a, b := pairs(hard, n, random)
	return valuesOf[float32](bytesOf(a)), valuesOf[float32](bytesOf(b))
}

// intPairs returns n pairs of integers: hard ones first, then random ones.
func intPairs(n int) (x, y []int32) {
	return pairs(hardInts, n, func(r *rand.Rand) int32 { return int32(r.Uint32()) })
}

// ordinaryFloats returns n finite floats between -1000 and 1000.
func ordinaryFloats(n int) []float32 {
	r := rand.New(rand.NewPCG(2, uint64(n)))
	values := make([]float32, n)
	for i := range values {
		values[i] = float32(r.Float64()*2000 - 1000)
	}
	return values
}

// counts are item counts at the edges: none, one, near the sizes of groups, and many.
var counts = []int32{0, 1, 2, 31, 32, 33, 63, 64, 65, 127, 128, 129, 255, 256, 257, 1023, 1024, 1025, 4097, 100_003}
