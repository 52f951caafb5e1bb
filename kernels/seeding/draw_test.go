package seeding

import (
	"math"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/trackgen-go/trackgen/kernel"
)

func TestLogFactorial(t *testing.T) {
	for k := int32(0); k < 6000; k++ {
		want, _ := math.Lgamma(float64(k) + 1)
		// Stirling's series is cut after 1/(12 k); three roundings of numbers as large as the result come on top.
		x := math.Max(float64(k), 13)
		assert.InDelta(t, want, logFactorial(k), 1/(360*x*x*x)+want*3e-7+1e-6, "%d", k)
	}
}

func TestPoissonOfUselessMeans(t *testing.T) {
	for _, lambda := range []float32{0, -1, float32(math.Inf(-1)), kernel.NaN()} {
		assert.Zero(t, drawPoisson(kernel.NewRand(1), lambda))
	}
}

// Frozen draws, computed from the definitions in float64 by another program: an env keeps its numbers from release to
// release.
func TestPoissonVectors(t *testing.T) {
	draw := func(lambda float32) (values []int32) {
		for seed := range int32(8) {
			values = append(values, drawPoisson(kernel.NewRand(seed), lambda))
		}
		return values
	}
	assert.Equal(t, []int32{3, 2, 4, 1, 4, 3, 2, 3}, draw(3))
	assert.Equal(t, []int32{8, 18, 12, 16, 16, 13, 10, 12}, draw(12))
	assert.Equal(t, []int32{969, 1051, 998, 1033, 1037, 1010, 979, 1000}, draw(1000))
}

func TestQuaternionVectors(t *testing.T) {
	for seed, want := range []kernel.Quat{
		{X: 0.0029586286, Y: -0.89977324, Z: -0.13887013, W: -0.41365984},
		{X: 0.22823153, Y: 0.19263545, Z: 0.69275063, W: 0.65642864},
		{X: -0.2937111, Y: -0.66100985, Z: -0.687574, W: 0.06357412},
	} {
		got := drawQuaternion(kernel.NewRand(int32(seed)))
		assert.InDelta(t, want.X, got.X, 1e-6)
		assert.InDelta(t, want.Y, got.Y, 1e-6)
		assert.InDelta(t, want.Z, got.Z, 1e-6)
		assert.InDelta(t, want.W, got.W, 1e-6)
	}
}
