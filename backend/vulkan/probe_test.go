//go:build cgo && (linux || darwin)

package vulkan

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/trackgen-go/trackgen/backend"
)

// lavapipe computes exactly, so the probe must report that. The probe runs because nothing is stored.
func TestProbe(t *testing.T) {
	d := openTest(t, backend.Options{}, func(s *settings) { s.cache = "" })
	require.Equal(t, exactFinding, d.exact)
}

var exactFinding = finding{Exact: true, Denormals: true, Division: true, SquareRoot: true}

// resultsOf computes the results of a case as an exact device would.
func resultsOf(inputs [probeInputs]uint32) [probeValues]uint32 {
	x, y, z := math.Float32frombits(inputs[0]), math.Float32frombits(inputs[1]), math.Float32frombits(inputs[2])
	sum, product := x+y, float32(x*y)
	results := [probeValues]uint32{}
	for i, value := range []float32{sum, x - y, product, product + z, y - float32(sum-x), 0, float32(int32(inputs[0])), 0,
		x / y, float32(math.Sqrt(float64(x)))} {
		results[i] = math.Float32bits(value)
	}
	if x > -0x1p31 && x < 0x1p31 {
		results[truncationValue] = uint32(int32(x))
	}
	results[comparisonValue] = 0
	for bit, holds := range []bool{x < y, x <= y, x == y, x != x, x == 0, x > y, x >= y, x != y, !(x < y), !(x <= y)} {
		if holds {
			results[comparisonValue] |= 1 << bit
		}
	}
	return results
}

// flushed returns the zero that takes the place of a denormal.
func flushed(bits uint32) uint32 {
	if bits&0x7f800000 == 0 {
		return bits & 0x80000000
	}
	return bits
}

func flushedFloat(x float32) float32 { return math.Float32frombits(flushed(math.Float32bits(x))) }

// mistakes are what devices are known to do, and what the probe must find then. A device may flush denormals; any other
// mistake is one.
var mistakes = map[string]struct {
	make func(in [probeInputs]uint32, out *[probeValues]uint32)
	want finding
}{
	"none": {func([probeInputs]uint32, *[probeValues]uint32) {}, exactFinding},
	"denormal products are zero": {func(_ [probeInputs]uint32, out *[probeValues]uint32) {
		out[productValue] = flushed(out[productValue])
	}, finding{Exact: true, Division: true, SquareRoot: true}},
	"denormal inputs are zero": {func(in [probeInputs]uint32, out *[probeValues]uint32) {
		converted := out[conversionValue]
		*out = resultsOf([probeInputs]uint32{flushed(in[0]), flushed(in[1]), flushed(in[2])})
		out[conversionValue] = converted // of bits, which are not flushed
	}, finding{Exact: true, Division: true, SquareRoot: true}},
	"all denormals are zero": {func(in [probeInputs]uint32, out *[probeValues]uint32) {
		converted := out[conversionValue]
		*out = resultsOf([probeInputs]uint32{flushed(in[0]), flushed(in[1]), flushed(in[2])})
		out[conversionValue] = converted // of bits, which are not flushed
		x, y, z := math.Float32frombits(flushed(in[0])), math.Float32frombits(flushed(in[1])),
			math.Float32frombits(flushed(in[2]))
		out[fusedValue] = math.Float32bits(flushedFloat(flushedFloat(float32(x*y)) + z))
		out[lostValue] = math.Float32bits(flushedFloat(y - flushedFloat(flushedFloat(x+y)-x)))
		for i := range out {
			if i != comparisonValue && i != truncationValue {
				out[i] = flushed(out[i])
			}
		}
	}, finding{Exact: true, Division: true, SquareRoot: true}},
	"comparisons alone take denormals for zero": {func(in [probeInputs]uint32, out *[probeValues]uint32) {
		out[comparisonValue] = resultsOf([probeInputs]uint32{flushed(in[0]), flushed(in[1])})[comparisonValue]
	}, finding{Exact: true, Division: true, SquareRoot: true}},
	"products that round up to a normal are zero": {func(in [probeInputs]uint32, out *[probeValues]uint32) {
		x, y := math.Float32frombits(in[0]), math.Float32frombits(in[1])
		if math.Abs(float64(x)*float64(y)) < 0x1p-126 {
			out[productValue] &= 0x80000000
		}
	}, finding{Exact: true, Division: true, SquareRoot: true}},
	"only division flushes": {func(in [probeInputs]uint32, out *[probeValues]uint32) {
		out[divisionValue] = flushed(out[divisionValue])
	}, finding{Exact: true, Denormals: true, SquareRoot: true}},
	"only the root flushes": {func(in [probeInputs]uint32, out *[probeValues]uint32) {
		if in[0]&0x7f800000 == 0 {
			out[rootValue] = in[0] & 0x80000000
		}
	}, finding{Exact: true, Denormals: true, Division: true}},
	"integers are converted without rounding to nearest": {func(in [probeInputs]uint32, out *[probeValues]uint32) {
		if x := int32(in[0]); float64(math.Float32frombits(out[conversionValue])) > float64(x) && x > 0 {
			out[conversionValue]--
		}
	}, finding{Division: true, SquareRoot: true}},
	"floats are rounded to integers": {func(in [probeInputs]uint32, out *[probeValues]uint32) {
		if x := math.Float32frombits(in[0]); x > -0x1p31 && x < 0x1p31 {
			out[truncationValue] = uint32(int32(math.Round(float64(x))))
		}
	}, finding{Division: true, SquareRoot: true}},
	"denormals become zero without a sign": {func(_ [probeInputs]uint32, out *[probeValues]uint32) {
		if out[productValue]&0x7f800000 == 0 && out[productValue]&0x7fffff != 0 {
			out[productValue] = 0
		}
	}, finding{Division: true, SquareRoot: true}},
	"denormals become the smallest normal": {func(_ [probeInputs]uint32, out *[probeValues]uint32) {
		if out[sumValue]&0x7f800000 == 0 && out[sumValue]&0x7fffff != 0 {
			out[sumValue] = out[sumValue]&0x80000000 | 0x00800000
		}
	}, finding{Division: true, SquareRoot: true}},
	"flushed, and rounded toward zero": {func(in [probeInputs]uint32, out *[probeValues]uint32) {
		out[sumValue] = flushed(out[sumValue])
		x, y := math.Float32frombits(in[0]), math.Float32frombits(in[1])
		product := float64(x) * float64(y)
		if rounded := math.Float32frombits(out[productValue]); math.Abs(float64(rounded)) > math.Abs(product) &&
			!math.IsInf(float64(rounded), 0) {
			out[productValue]--
		}
	}, finding{Division: true, SquareRoot: true}},
	"products are fused into sums": {func(in [probeInputs]uint32, out *[probeValues]uint32) {
		x, y, z := math.Float32frombits(in[0]), math.Float32frombits(in[1]), math.Float32frombits(in[2])
		out[fusedValue] = math.Float32bits(float32(math.FMA(float64(x), float64(y), float64(z))))
	}, finding{Division: true, SquareRoot: true}},
	"sums are reordered": {func(_ [probeInputs]uint32, out *[probeValues]uint32) { out[lostValue] = 0 },
		finding{Division: true, SquareRoot: true}},
	"the sign of zero is lost": {func(_ [probeInputs]uint32, out *[probeValues]uint32) {
		if out[sumValue] == 0x80000000 {
			out[sumValue] = 0
		}
	}, finding{Division: true, SquareRoot: true}},
	"a NaN is smaller": {func(in [probeInputs]uint32, out *[probeValues]uint32) {
		if isNaN(in[0]) {
			out[comparisonValue] |= 1
		}
	}, finding{Division: true, SquareRoot: true}},
	"not smaller or equal means greater": {func(in [probeInputs]uint32, out *[probeValues]uint32) {
		if isNaN(in[0]) {
			out[comparisonValue] &^= 1 << 9
		}
	}, finding{Division: true, SquareRoot: true}},
	"zeros of different signs differ": {func(in [probeInputs]uint32, out *[probeValues]uint32) {
		if in[0] == 0x80000000 && in[1] == 0 {
			out[comparisonValue] &^= 1 << 2
		}
	}, finding{Division: true, SquareRoot: true}},
	"division by a reciprocal": {func(in [probeInputs]uint32, out *[probeValues]uint32) {
		out[divisionValue] = math.Float32bits(math.Float32frombits(in[0]) * float32(1/math.Float32frombits(in[1])))
	}, finding{Exact: true, Denormals: true, SquareRoot: true}},
	"division by a reciprocal that is flushed": {func(in [probeInputs]uint32, out *[probeValues]uint32) {
		out[productValue] = flushed(out[productValue])
		if y := in[1] &^ 0x80000000; y > 0x7e800000 && y < 0x7f800000 { // its reciprocal is a denormal
			out[divisionValue] = (in[0] ^ in[1]) & 0x80000000
		}
	}, finding{Exact: true, SquareRoot: true}},
	"square root by a reciprocal": {func(in [probeInputs]uint32, out *[probeValues]uint32) {
		x := math.Float32frombits(in[0])
		out[rootValue] = math.Float32bits(x * float32(1/float32(math.Sqrt(float64(x)))))
	}, finding{Exact: true, Denormals: true, Division: true}},
}

// The probe's inputs reveal every error that devices are known to make, and flushed denormals are told from errors.
func TestProbeFindsMistakes(t *testing.T) {
	for name, mistake := range mistakes {
		var seen observations
		random := rand.New(rand.NewPCG(1, 2))
		for i := range 100_000 {
			var in [probeInputs]uint32
			probeCase(random, i, &in)
			out := resultsOf(in)
			mistake.make(in, &out)
			seen.compare(&in, &out)
		}
		found := seen.finding()
		require.Equal(t, found.Exact, found.Example == "", name)
		found.Example = ""
		require.Equal(t, mistake.want, found, name)
	}
}
