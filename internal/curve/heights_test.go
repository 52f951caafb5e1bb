package curve

import (
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// heightsOf returns a circle of radius 100 through n points, with waves of 3 m, and the heights along it.
func heightsOf(n int, smooth float64, waves float64) (*Curve, *Heights) {
	c := Fit(ring(100, even(n)...), 0)
	values := make([]float64, n)
	for i := range values {
		values[i] = 40 + 3*math.Sin(2*math.Pi*waves*float64(i)/float64(n))
	}
	return c, c.Heights(values, smooth)
}

// Without smoothing, the heights pass through the given ones, and follow a smooth function between them.
func TestHeights(t *testing.T) {
	c, z := heightsOf(48, 0, 3)
	assert.Zero(t, z.Moved)
	for k := range 1000 {
		part := float64(k) / 1000
		height, grade := z.At(part * c.Length())
		assert.InDelta(t, 40+3*math.Sin(2*math.Pi*3*part), height, 0.01)
		assert.InDelta(t, 3*2*math.Pi*3/c.Length()*math.Cos(2*math.Pi*3*part), grade, 0.001)
	}
}

// The mean along a length halves a wave of about this length, and removes one of half of it.
func TestSmoothHeights(t *testing.T) {
	length := 2 * math.Pi * 100
	for _, test := range []struct{ smooth, left float64 }{
		{length / 60, 1 - 1.0/20}, {length / 5, 0.4053}, {length / 10, 0.8106}, {length / 2.5, 0}, {50 * length, 0},
	} {
		c, z := heightsOf(1000, test.smooth, 5)
		highest := 0.0
		for k := range 1000 {
			height, _ := z.At(float64(k) / 1000 * c.Length())
			highest = max(highest, math.Abs(height-40))
		}
		assert.InDelta(t, 3*test.left, highest, 0.15)
		assert.InDelta(t, 3-highest, z.Moved, 0.05)
	}
}

// Height and grade are continuous, also from the last piece to the first, and every station has its height.
func TestHeightsAreContinuous(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(3, 40).Draw(t, "points")
		turns, values := make([]float64, n), make([]float64, n)
		for i := range n {
			turns[i] = (float64(i) + rapid.Float64Range(0, 0.9).Draw(t, "at")) / float64(n)
			values[i] = rapid.Float64Range(-50, 50).Draw(t, "height")
		}
		c := Fit(ring(200, turns...), 0)
		z := c.Heights(values, 0)
		for i, station := range c.Stations {
			height, _ := z.At(station)
			require.InDelta(t, values[i], height, 1e-9)
		}
		for i, p := range z.pieces {
			next := z.pieces[(i+1)%len(z.pieces)]
			require.InDelta(t, 0, p.at(p.length).X-next.a.X, 1e-8)
			require.InDelta(t, 0, p.velocity(p.length).X-next.b.X, 1e-7*(1+math.Abs(next.b.X)))
		}
		smoothed := c.Heights(values, rapid.Float64Range(0.001, 1e5).Draw(t, "smooth"))
		for k := range 100 {
			height, _ := smoothed.At(float64(k) / 100 * c.Length())
			require.Less(t, math.Abs(height), 400.0)
		}
	})
}

// A long way between points that are close together is straight: the heights do not bulge there.
func TestLongWayBetweenHeights(t *testing.T) {
	var turns, values []float64
	for i := range 50 {
		turns = append(turns, 0.75*float64(i)/50)
		values = append(values, 2*math.Sin(float64(i)*1.7)) // noise
	}
	c := Fit(ring(100, turns...), 0)
	z := c.Heights(values, 0)
	low, high := min(values[49], values[0])-1.5, max(values[49], values[0])+1.5
	for k := range 100 {
		height, _ := z.At(c.Stations[49] + (c.Length()-c.Stations[49])*float64(k)/100)
		assert.Greater(t, height, low)
		assert.Less(t, height, high)
	}
}
