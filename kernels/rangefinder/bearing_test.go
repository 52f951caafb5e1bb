package rangefinder

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/trackgen-go/trackgen/kernel"
)

// A bearing is that of math.Atan2, up to 3e-4, which leaves room in bearingError for what is computed from it.
func TestBearing(t *testing.T) {
	r := rand.New(rand.NewPCG(71, 1))
	worst := 0.0
	check := func(x, y float64) {
		p := kernel.V2(float32(x), float32(y))
		is, want := float64(bearing(p)), math.Atan2(float64(p.Y), float64(p.X))
		worst = max(worst, math.Abs(math.Remainder(is-want, 2*math.Pi)))
	}
	for k := range 200000 {
		sin, cos := math.Sincos(2 * math.Pi * float64(k) / 200000)
		length := math.Pow(10, 12*r.Float64()-6)
		check(length*cos, length*sin)
	}
	for _, x := range []float64{-1, 0, 1} {
		for _, y := range []float64{-1, 0, 1} {
			if x != 0 || y != 0 {
				check(x, y)
			}
		}
	}
	require.Less(t, worst, 3e-4)
	require.Greater(t, worst, 1e-5, "the test sees errors")
}

// The bound of the arc sine in isVisible holds.
func TestBoundOfTheArcSine(t *testing.T) {
	for k := range 100001 {
		x := float64(k) / 100000
		require.LessOrEqual(t, math.Asin(x), x+0.571*x*x*x+1e-12, "%v", x)
	}
}
