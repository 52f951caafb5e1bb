package kernel_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/trackgen-go/trackgen/kernel"
)

// function is a function of one argument, its reference in float64, and the worst error over all float32 that its
// comment states, in ulp.
type function struct {
	name      string
	kernel    func(float32) float32
	reference func(float64) float64
	worst     float64
}

var functions = []function{
	{"Sin", kernel.Sin, math.Sin, 0.772},
	{"Cos", kernel.Cos, math.Cos, 0.776},
	{"Exp", kernel.Exp, math.Exp, 0.763},
	{"Log", kernel.Log, math.Log, 0.840},
	{"Atan", kernel.Atan, math.Atan, 0.680},
}

// The worst error of Atan2 found is 0.771 ulp; which pairs a search draws depends on the number of processors.
const worstAtan2 = 0.78

// ulpError returns |got - want| in units of the spacing of float32 at want; 0 if both are NaN, and infinity if one is.
// An infinite got counts as 2^128 where want rounds to a finite float32.
func ulpError(got float32, want float64) float64 {
	if got != got || want != want {
		if got != got && want != want {
			return 0
		}
		return math.Inf(1)
	}
	g := float64(got)
	if g == want {
		return 0
	}
	if math.Abs(want) >= 0x1.ffffffp127 { // rounds to an infinity
		if math.IsInf(g, int(math.Copysign(1, want))) {
			return 0
		}
		return math.Inf(1)
	}
	if math.IsInf(g, 0) {
		g = math.Copysign(0x1p128, g)
	}
	exponent := int(math.Float64bits(want)>>52&0x7ff) - 1023
	exponent = min(max(exponent, -126), 127)
	return math.Abs(g-want) * math.Float64frombits(uint64(1023-(exponent-23))<<52)
}

// special holds the float32 at which an implementation breaks first, with their neighbours and negatives.
func special() []float32 {
	seeds := []float64{
		0, 0x1p-149, 0x1p-126, 0x1p-60, 0x1p-14, 0x1p-12, 0.25, 0.5, 1, 1.5, 2, 256, 0x1p22, 0x1p23, 0x1p24, 0x1p31,
		0x1p32, 0x1p60, 0x1p100, 0x1p127,
		math.MaxFloat32, math.Inf(1), math.NaN(), math.Pi / 4, math.Pi / 2, math.Pi, 2 * math.Pi, math.E, math.Ln2,
		math.Ln2 / 2, math.Sqrt2, 1 / math.Sqrt2,
		88.72283, 88.72284, 103.27893, 103.97208, 87.33654,
	}
	var values []float32
	for _, s := range seeds {
		x := float32(s)
		for _, v := range []float32{x, math.Nextafter32(x, 0), math.Nextafter32(x, float32(math.Inf(1)))} {
			values = append(values, v, -v)
		}
	}
	for n := 1; n < 2000; n += 7 {
		x := float32(float64(n) * math.Pi / 4)
		values = append(values, x, math.Nextafter32(x, 0))
	}
	return values
}

// sampled calls check with every 4093rd float32 pattern and the special values.
func sampled(check func(x float32)) {
	for b := uint64(0); b < 1<<32; b += 4093 {
		check(math.Float32frombits(uint32(b)))
	}
	for _, x := range special() {
		check(x)
	}
}

func TestFunctionsAreWithinTheirStatedErrors(t *testing.T) {
	for _, f := range functions {
		t.Run(f.name, func(t *testing.T) {
			check := func(x float32) {
				if e := ulpError(f.kernel(x), f.reference(float64(x))); e > f.worst {
					require.Failf(t, "too inexact", "%s(%v = %#08x) = %v, want %v: %.3f ulp", f.name, x,
						math.Float32bits(x), f.kernel(x), f.reference(float64(x)), e)
				}
			}
			sampled(check)
		})
	}
}

// sincosDiffers reports whether Sincos(x) is not Sin(x) and Cos(x), bit for bit.
func sincosDiffers(x float32) bool {
	s, c := kernel.Sincos(x)
	return math.Float32bits(s) != math.Float32bits(kernel.Sin(x)) ||
		math.Float32bits(c) != math.Float32bits(kernel.Cos(x))
}

func TestSincosIsSinAndCos(t *testing.T) {
	sampled(func(x float32) {
		if sincosDiffers(x) {
			assert.Fail(t, "different bits", "Sincos(%v = %#08x)", x, math.Float32bits(x))
		}
	})
}

func TestFunctionsKeepSignsOfZeroAndNaN(t *testing.T) {
	for _, f := range functions {
		for _, x := range special() {
			got, want := f.kernel(x), float32(f.reference(float64(x)))
			if want != want {
				assert.Equal(t, kernel.NaNBits, math.Float32bits(got), "%s(%v)", f.name, x)
				continue
			}
			assert.Equal(t, math.Signbit(float64(want)), math.Signbit(float64(got)), "%s(%v)", f.name, x)
			assert.Equal(t, math.IsInf(float64(want), 0), math.IsInf(float64(got), 0), "%s(%v)", f.name, x)
		}
	}
}

// Each x is the float32 above pi/4 that is nearest to a multiple of pi/2 relative to its size, where a reduction loses
// most. The values are from 400-bit arithmetic.
func TestAngleReductionAtTheWorstCases(t *testing.T) {
	for _, c := range []struct {
		x, smallCos, smallSin float64
	}{
		{x: 0x1.f37c8ap+95, smallCos: -0x1.bbdd52a58eafbp-30},
		{x: 0x1.47d0fep+34, smallCos: -0x1.149dafd6b8987p-29},
		{x: 0x1.f37c8ap+96, smallSin: -0x1.bbdd52a58eafbp-29},
		{x: 0x1.47d0fep+35, smallSin: -0x1.149dafd6b8987p-28},
		{x: 0x1.f9cbe2p+7, smallCos: -0x1.1fa3bb9a07e78p-28},
		{x: 0x1.f37c8ap+97, smallSin: 0x1.bbdd52a58eafbp-28},
		{x: 0x1.32ede2p+85, smallCos: -0x1.bc77be4e3b960p-28},
		{x: 0x1.628d4cp+40, smallCos: -0x1.db49e303ea778p-28},
	} {
		s, cosine := kernel.Sincos(float32(c.x))
		if c.smallSin != 0 {
			assert.LessOrEqual(t, ulpError(s, c.smallSin), 0.51, "sin(%v)", c.x)
		} else {
			assert.LessOrEqual(t, ulpError(cosine, c.smallCos), 0.51, "cos(%v)", c.x)
		}
	}
}

func atan2Error(y, x float32) float64 {
	return ulpError(kernel.Atan2(y, x), math.Atan2(float64(y), float64(x)))
}

func TestAtan2IsWithinItsStatedError(t *testing.T) {
	check := func(y, x float32) {
		if e := atan2Error(y, x); e > worstAtan2 {
			require.Failf(t, "too inexact", "Atan2(%v, %v) = %v, want %v: %.3f ulp", y, x, kernel.Atan2(y, x),
				math.Atan2(float64(y), float64(x)), e)
		}
	}
	values := special()
	for _, y := range values {
		for _, x := range values {
			check(y, x)
		}
	}
	random := rand.New(rand.NewPCG(1, 2))
	for range 1_000_000 {
		check(math.Float32frombits(random.Uint32()), math.Float32frombits(random.Uint32()))
		check(random.Float32()-0.5, random.Float32()-0.5)
	}
}

func TestAtan2SpecialCasesAreThoseOfMath(t *testing.T) {
	inf := float32(math.Inf(1))
	values := []float32{0, float32(math.Copysign(0, -1)), 1, -1, 0x1p-149, -0x1p-149, math.MaxFloat32, -math.MaxFloat32,
		inf, -inf, float32(math.NaN())}
	for _, y := range values {
		for _, x := range values {
			want := float32(math.Atan2(float64(y), float64(x)))
			if want != want {
				want = kernel.NaN()
			}
			assert.Equal(t, math.Float32bits(want), math.Float32bits(kernel.Atan2(y, x)), "Atan2(%v, %v)", y, x)
		}
	}
}
