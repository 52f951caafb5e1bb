package vehicle

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/trackgen-go/trackgen/kernel"
)

// Sines, cosines and wrapped angles are near the exact ones, and bounded for every finite angle.
func TestAngles(t *testing.T) {
	for k := -60_000; k <= 60_000; k++ {
		x := float32(k) * 1e-2
		sin, cos := sincos(x)
		require.InDelta(t, math.Sin(float64(x)), sin, 2e-7, "%v", x)
		require.InDelta(t, math.Cos(float64(x)), cos, 2e-7, "%v", x)
		y := wrapped(x)
		require.LessOrEqual(t, kernel.Abs(y), float32(math.Pi))
		if kernel.Abs(x) < 20 { // as far as a step leads
			require.InDelta(t, 0, math.Remainder(float64(x)-float64(y), 2*math.Pi), 2e-6, "%v", x)
		}
	}
	for _, x := range []float32{1e6, -1e12, 3e38, math.MaxFloat32} {
		sin, cos := sincos(x)
		require.LessOrEqual(t, max(kernel.Abs(sin), kernel.Abs(cos)), float32(1), "%v", x)
		require.LessOrEqual(t, kernel.Abs(wrapped(x)), float32(math.Pi), "%v", x)
	}
}

var sink float32

// BenchmarkAngles compares the functions of small angles.
func BenchmarkAngles(b *testing.B) {
	for name, of := range map[string]func(float32) (float32, float32){"here": sincos, "kernel": kernel.Sincos} {
		b.Run(name, func(b *testing.B) {
			x := float32(0.1)
			for b.Loop() {
				sin, cos := of(x)
				x = float32(sin*0.3) + 0.05
				sink = cos
			}
		})
	}
}
