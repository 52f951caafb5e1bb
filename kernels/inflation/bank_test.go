package inflation

import (
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
)

// The slope is the tangent of the angle, to two steps of float32.
func TestBankSlope(t *testing.T) {
	for k := -1000; k <= 1000; k++ {
		angle := float32(k) / 1000
		want := math.Tan(float64(angle))
		assert.InDelta(t, want, float64(bankSlope(angle)), 1.5e-7*math.Abs(want)+1e-12, "%v", angle)
	}
}
