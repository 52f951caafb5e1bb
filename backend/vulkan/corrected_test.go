//go:build cgo && (linux || darwin)

package vulkan

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/trackgen-go/trackgen/backend"
	"github.com/trackgen-go/trackgen/backend/backendtest/kernels"
)

// Corrected divisions and roots are exact for the inputs of the probe, even if what the device computes is wrong by
// some units in the last place or is useless.
func TestCorrectedArithmetic(t *testing.T) {
	for seedError, cases := range map[int32]int{-2: probeCases, -1: probeCases, 0: probeCases, 1: probeCases,
		2: probeCases, -3: probeChunk, 3: probeChunk, -4: probeChunk, 4: probeChunk, -100: probeChunk, 1 << 22: probeChunk,
		1 << 30: probeChunk, math.MinInt32: probeChunk} {
		t.Run(fmt.Sprintf("seeds with an error of %d", seedError), func(t *testing.T) {
			checkCorrected(t, seedError, cases)
		})
	}
}

func checkCorrected(t *testing.T, seedError int32, cases int) {
	d := openTest(t, backend.Options{}, func(s *settings) {
		s.corrected, s.seedError, s.validation = true, seedError, false
		s.finding = &finding{Exact: true}
	})
	views := make([]backend.View, 6) // x, y, axpy, difference, quotient, root
	for i := range views {
		views[i] = alloc(t, d, make([]int32, probeChunk)...)
	}
	x, y := make([]int32, probeChunk), make([]int32, probeChunk)
	random := rand.New(rand.NewPCG(5, 11))
	for first := 0; first < cases; first += probeChunk {
		for i := range x {
			var in [probeInputs]uint32
			probeCase(random, first+i, &in)
			x[i], y[i] = int32(in[0]), int32(in[1])
		}
		write(t, d, views[0], x...)
		write(t, d, views[1], y...)
		require.NoError(t, d.DefaultStream().Launch(&kernels.ArithmeticDef, backend.Launch{N: probeChunk, Buffers: views,
			Scalars: []uint32{0}}))
		quotients, roots := read(t, d, views[4]), read(t, d, views[5])
		for i := range x {
			a, b := math.Float32frombits(uint32(x[i])), math.Float32frombits(uint32(y[i]))
			checkBits(t, uint32(quotients[i]), a/b, "%v / %v", a, b)
			checkBits(t, uint32(roots[i]), float32(math.Sqrt(float64(a))), "the root of %v", a)
		}
	}
}

// checkBits compares a result with Go's; all NaN count as equal.
func checkBits(t *testing.T, got uint32, want float32, format string, arguments ...any) {
	if bits := math.Float32bits(want); got != bits && !(isNaN(got) && isNaN(bits)) {
		require.Failf(t, "not exact", format+" is %#08x, want %#08x", append(arguments, got, bits)...)
	}
}

// The same on a driver that shares no code with Mesa's and flushes denormals.
func TestCorrectedArithmeticOnSwiftShader(t *testing.T) {
	if !withSwiftShader(t) {
		return
	}
	for _, seedError := range []int32{-2, -1, 0, 1, 2, 1 << 30} {
		checkCorrected(t, seedError, probeChunk)
	}
}
