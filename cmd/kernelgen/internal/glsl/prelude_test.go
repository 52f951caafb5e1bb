package glsl

import (
	"math"
	"math/bits"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
)

// The functions of the prelude that correct division and roots, in Go. The tests of the Vulkan backend run the shaders
// themselves; here the seeds can be wrong in every way.

// seed makes the device's result from the exact one.
type seed func(exact float32) float32

func rest(a, x, y uint32) (rest, high int32) {
	carry, product := bits.Mul32(x, y)
	low, borrow := bits.Sub32(a<<23, product, 0)
	top, _ := bits.Sub32(a>>9, carry, borrow)
	return int32(low), int32(top)
}

func choose[T any](condition bool, yes, no T) T {
	if condition {
		return yes
	}
	return no
}

func correct(a, b uint32, root bool, x int32) (nearest, left int32, ok bool) {
	left, high := rest(a, uint32(x), choose(root, uint32(x), b))
	fits := high == left>>31
	most := choose(root, x, int32(b>>1))
	least := func() int32 { return choose[int32](root, 1, 0) - most }
	for range 3 {
		change := int32(0)
		if left > most {
			change = 1
		} else if left < least() {
			change = -1
		}
		left -= change * choose(root, 2*x+change, int32(b))
		x += change
		most = choose(root, x, most)
	}
	return x, left, fits && left <= most && left >= least()
}

// nearest also returns whether it had to search bit by bit.
func nearest(a, b uint32, root bool, device float32) (x, left int32, searched bool) {
	x, left, ok := correct(a, b, root, int32(math.Float32bits(device))-0x3f000000)
	if ok {
		return x, left, false
	}
	x = 0x800000
	for bit := int32(0x400000); bit != 0; bit >>= 1 {
		trial := x + bit
		if _, high := rest(a, uint32(trial), choose(root, uint32(trial), b)); high >= 0 {
			x = trial
		}
	}
	x, left, _ = correct(a, b, root, x)
	return x, left, true
}

func mantissa(number uint32) (uint32, int) {
	exponent := int(number >> 23)
	if exponent == 0 {
		shift := 24 - bits.Len32(number)
		return number << shift, 1 - shift
	}
	return number&0x7fffff | 0x800000, exponent
}

// round is kg_round of the prelude.
func round(sign uint32, exponent int, mantissa uint32) uint32 {
	if exponent >= 255 {
		return sign | 0x7f800000
	}
	result := uint32(0)
	if exponent > 0 {
		result = uint32(exponent-1) << 23
	} else {
		shift := min(1-exponent, 27)
		lost := mantissa & (1<<shift - 1)
		mantissa >>= shift
		if lost != 0 {
			mantissa |= 1
		}
	}
	result += mantissa >> 2
	if last := mantissa & 3; last > 2 || last == 2 && result&1 != 0 {
		result++
	}
	return sign | result
}

func divide(x, y float32, device seed) (result uint32, searched bool) {
	a, b := math.Float32bits(x), math.Float32bits(y)
	sign := (a ^ b) & 0x80000000
	a, b = a&0x7fffffff, b&0x7fffffff
	if larger := max(a, b); larger >= 0x7f800000 || min(a, b) == 0 {
		switch {
		case larger > 0x7f800000 || a == b:
			return 0x7fc00000, false
		case a == 0x7f800000 || b == 0:
			return sign | 0x7f800000, false
		}
		return sign, false
	}
	a, exponentA := mantissa(a)
	b, exponentB := mantissa(b)
	exponent := exponentA - exponentB + 127
	if a < b {
		a <<= 1
		exponent--
	}
	quotient, left, searched := nearest(a, b, false, device(float32(a)/float32(b)))
	m := uint32(4 * quotient)
	if left > 0 {
		m++
	} else if left < 0 {
		m--
	}
	return round(sign, exponent, m), searched
}

func squareRoot(x float32, device seed) (result uint32, searched bool) {
	a := math.Float32bits(x)
	if a&0x7fffffff == 0 || a == 0x7f800000 {
		return a, false
	}
	if a > 0x7f800000 {
		return 0x7fc00000, false
	}
	a, exponent := mantissa(a)
	exponent -= 127
	if exponent&1 != 0 {
		a <<= 1
		exponent--
	}
	root, _, searched := nearest(a, 0, true, device(float32(math.Sqrt(float64(float32(a)*0x1p-23)))))
	return uint32(root) + uint32(exponent>>1+126)<<23, searched
}

// hard are numbers at the limits of the format, and numbers with few and with many bits.
var hard = []uint32{0, 1, 2, 3, 0x400000, 0x7ffffe, 0x7fffff, 0x800000, 0x800001, 0xffffff, 0x1000000, 0x3f000000,
	0x3f7fffff, 0x3f800000, 0x3f800001, 0x3f800002, 0x3ffffffe, 0x3fffffff, 0x40000000, 0x40400000, 0x3eaaaaab,
	0x407fffff, 0x7e800000, 0x7f000000, 0x7f7ffffe, 0x7f7fffff, 0x7f800000, 0x7f800001, 0x7fc00000}

// numbers calls f with pairs: all pairs of hard numbers with all signs, then n random ones.
func numbers(n int, f func(x, y float32)) {
	for _, a := range hard {
		for _, b := range hard {
			for signs := range uint32(4) {
				f(math.Float32frombits(a|signs&1<<31), math.Float32frombits(b|signs>>1<<31))
			}
		}
	}
	random := rand.New(rand.NewPCG(1, 2))
	for i := range n {
		a, b := random.Uint32(), random.Uint32()
		switch i % 4 {
		case 1:
			a &= 0x807fffff // a denormal
		case 2: // quotients and roots close to halfway: few bits
			a, b = a&0xfff80000|random.Uint32()&3, b&0xfffff000|random.Uint32()&3
		case 3:
			a, b = a&0x807fffff|0x3f800000, b&0x807fffff|0x3f800000
		}
		f(math.Float32frombits(a), math.Float32frombits(b))
	}
}

func sameOrBothNaN(got uint32, want float32) bool {
	return got == math.Float32bits(want) || want != want && got&0x7fffffff > 0x7f800000
}

// Division and roots are exact whatever the device computes. A device that is wrong by at most 3 units in the last
// place never makes them search.
func TestCorrectedArithmetic(t *testing.T) {
	seeds := map[string]struct {
		make seed
		near bool
	}{
		"a zero":     {func(float32) float32 { return 0 }, false},
		"infinity":   {func(float32) float32 { return float32(math.Inf(1)) }, false},
		"a NaN":      {func(float32) float32 { return math.Float32frombits(0xffffffff) }, false},
		"a denormal": {func(float32) float32 { return math.Float32frombits(3) }, false},
		"-1":         {func(float32) float32 { return -1 }, false},
		"2":          {func(float32) float32 { return 2 }, false},
		"mirrored":   {func(exact float32) float32 { return 3 - exact }, false},
		"a multiple": {func(exact float32) float32 { return 1.75 * exact }, false},
	}
	for ulps := int32(-5); ulps <= 5; ulps++ {
		seeds[string('0'+rune(5+ulps))+" - 5 units"] = struct {
			make seed
			near bool
		}{func(exact float32) float32 {
			return math.Float32frombits(uint32(int32(math.Float32bits(exact)) + ulps))
		}, -3 <= ulps && ulps <= 3}
	}
	for name, s := range seeds {
		searches := 0
		numbers(200_000, func(x, y float32) {
			got, searched := divide(x, y, s.make)
			if !sameOrBothNaN(got, x/y) {
				require.Failf(t, "division", "%v / %v is %#08x, want %#08x, with the seed %s", x, y, got,
					math.Float32bits(x/y), name)
			}
			root := float32(math.Sqrt(float64(x)))
			gotRoot, searchedRoot := squareRoot(x, s.make)
			if !sameOrBothNaN(gotRoot, root) {
				require.Failf(t, "square root", "the root of %v is %#08x, want %#08x, with the seed %s", x, gotRoot,
					math.Float32bits(root), name)
			}
			if searched || searchedRoot {
				searches++
			}
		})
		require.Equal(t, s.near, searches == 0, "%d searches with the seed %s", searches, name)
	}
}
