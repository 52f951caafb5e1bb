package centerline

import (
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"pgregory.net/rapid"
)

func TestWrapAngle(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a := rapid.Float32Range(-1000, 1000).Draw(t, "angle")
		got := float64(WrapAngle(a))
		assert.LessOrEqual(t, math.Abs(got), math.Pi+1e-4)
		assert.InDelta(t, 0, math.Remainder(got-float64(a), 2*math.Pi), 1e-4)
	})
	for a, want := range map[float32]float64{0: 0, 1: 1, -3: -3, 4: 4 - 2*math.Pi, -4: 2*math.Pi - 4,
		7: 7 - 2*math.Pi} {
		assert.InDelta(t, want, WrapAngle(a), 1e-6)
	}
}
