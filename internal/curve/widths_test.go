package curve

import (
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
)

// Interpolated values at places give those at the stations, wherever the places are, and stay in their range.
func TestInterpolate(t *testing.T) {
	c := Fit(ring(100, even(60)...), 0)
	zigzag, wave := make([]float64, 60), make([]float64, 60)
	for i := range zigzag {
		zigzag[i] = 5
		if i%7 == 3 {
			zigzag[i] = 4
		}
		wave[i] = 5 + math.Sin(float64(i)/4)
	}
	for _, values := range [][]float64{zigzag, wave} {
		for _, n := range []int{90, 100, 131, 180, 400} {
			got := c.Interpolate(values, n, n)
			assert.LessOrEqual(t, c.Misfit(values, got), 0.005, "%d places", n)
			// Interpolate between places as a user of the track does.
			for i, station := range c.Stations {
				at := station / c.Length() * float64(n)
				k := int(at)
				read := got[k] + (at-float64(k))*(got[(k+1)%n]-got[k])
				assert.InEpsilon(t, values[i], read, 0.006)
			}
			for _, v := range got {
				assert.Greater(t, v, 3.6)
				assert.Less(t, v, 6.6)
			}
			assert.Equal(t, got[:7], c.Interpolate(values, 7, n))
		}
		// Fewer places than stations approximate the values.
		for _, v := range c.Interpolate(values, 20, 20) {
			assert.InDelta(t, 5, v, 1.7)
		}
	}
	same := make([]float64, 60)
	for i := range same {
		same[i] = 3
	}
	for _, v := range c.Interpolate(same, 47, 47) {
		assert.Equal(t, 3.0, v)
	}
}
