//go:build cgo && linux

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
	require.Equal(t, finding{Exact: true, Division: true, SquareRoot: true}, d.exact)
}

// resultsOf computes the results of a case as an exact device would.
func resultsOf(inputs [probeInputs]uint32) [probeValues]uint32 {
	x, y, z := math.Float32frombits(inputs[0]), math.Float32frombits(inputs[1]), math.Float32frombits(inputs[2])
	sum, product := x+y, float32(x*y)
	results := [probeValues]uint32{}
	for i, value := range []float32{sum, x - y, product, product + z, y - float32(sum-x), 0, x / y,
		float32(math.Sqrt(float64(x)))} {
		results[i] = math.Float32bits(value)
	}
	results[comparisonValue] = 0
	for bit, holds := range []bool{x < y, x <= y, x == y, x != x, x == 0} {
		if holds {
			results[comparisonValue] |= 1 << bit
		}
	}
	return results
}

// The probe's inputs reveal every error that devices are known to make.
func TestProbeFindsMistakes(t *testing.T) {
	flush := func(bits uint32) uint32 {
		if bits&0x7f800000 == 0 {
			return bits & 0x80000000
		}
		return bits
	}
	for name, mistake := range map[string]struct {
		make func(in [probeInputs]uint32, out *[probeValues]uint32)
		want finding
	}{
		"none": {func([probeInputs]uint32, *[probeValues]uint32) {}, finding{Exact: true, Division: true, SquareRoot: true}},
		"denormal results are zero": {func(_ [probeInputs]uint32, out *[probeValues]uint32) { out[2] = flush(out[2]) },
			finding{Division: true, SquareRoot: true}},
		"denormal inputs are zero": {func(in [probeInputs]uint32, out *[probeValues]uint32) {
			*out = resultsOf([probeInputs]uint32{flush(in[0]), flush(in[1]), flush(in[2])})
		}, finding{}},
		"products are fused into sums": {func(in [probeInputs]uint32, out *[probeValues]uint32) {
			x, y, z := math.Float32frombits(in[0]), math.Float32frombits(in[1]), math.Float32frombits(in[2])
			out[3] = math.Float32bits(float32(math.FMA(float64(x), float64(y), float64(z))))
		}, finding{Division: true, SquareRoot: true}},
		"sums are reordered": {func(_ [probeInputs]uint32, out *[probeValues]uint32) { out[4] = 0 },
			finding{Division: true, SquareRoot: true}},
		"the sign of zero is lost": {func(_ [probeInputs]uint32, out *[probeValues]uint32) {
			if out[0] == 0x80000000 {
				out[0] = 0
			}
		}, finding{Division: true, SquareRoot: true}},
		"a NaN is smaller": {func(in [probeInputs]uint32, out *[probeValues]uint32) {
			if isNaN(in[0]) {
				out[comparisonValue] |= 1
			}
		}, finding{Division: true, SquareRoot: true}},
		"division by a reciprocal": {func(in [probeInputs]uint32, out *[probeValues]uint32) {
			out[divisionValue] = math.Float32bits(math.Float32frombits(in[0]) * float32(1/math.Float32frombits(in[1])))
		}, finding{Exact: true, SquareRoot: true}},
		"square root by a reciprocal": {func(in [probeInputs]uint32, out *[probeValues]uint32) {
			x := math.Float32frombits(in[0])
			out[rootValue] = math.Float32bits(x * float32(1/float32(math.Sqrt(float64(x)))))
		}, finding{Exact: true, Division: true}},
	} {
		f := finding{Exact: true, Division: true, SquareRoot: true}
		random := rand.New(rand.NewPCG(1, 2))
		for i := range 100_000 {
			var in [probeInputs]uint32
			probeCase(random, i, &in)
			out := resultsOf(in)
			mistake.make(in, &out)
			f.compare(&in, &out)
		}
		require.Equal(t, mistake.want.Exact, f.Example == "", name)
		f.Example = ""
		if name != "denormal inputs are zero" {
			require.Equal(t, mistake.want, f, name)
		} else {
			require.False(t, f.Exact)
		}
	}
}
