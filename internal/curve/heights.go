package curve

import (
	"math"
	"sort"
)

// Heights are the heights along a closed curve: a cubic spline over the arc length in plan view, so that the grade is
// continuous.
type Heights struct {
	length float64   // of the curve in plan view
	starts []float64 // arc length of each knot
	pieces []piece   // two for each segment between knots; X is the height and Y is 0
	// Moved is the largest distance of the heights from a given one.
	Moved float64
}

// Heights returns the heights along the curve for a height at each station. With smooth > 0, each height becomes the
// mean along smooth of the line, with weights that fall linearly to 0 at its ends. With 0, the heights pass through all
// given ones. The way between two stations that are more than three times as far apart as others beside them is
// straight.
func (c *Curve) Heights(values []float64, smooth float64) *Heights {
	smoothed := values
	if smooth > 0 {
		smoothed = c.mean(c.mean(values, smooth/2), smooth/2) // two means of one width make weights that fall linearly
	}
	knots, starts := c.heightKnots(smoothed)
	h := make([]float64, len(starts))
	for i, start := range starts {
		h[i] = c.Length() - start
		if i+1 < len(starts) {
			h[i] = starts[i+1] - start
		}
	}
	place, second := newEnergy(h, make([]float64, len(h))).solve(knots)
	z := &Heights{length: c.Length(), starts: starts, pieces: make([]piece, 0, 2*len(h))}
	for i := range h {
		first, last := segment(place, second, h, i)
		z.pieces = append(z.pieces, first, last)
	}
	for i, v := range values {
		z.Moved = max(z.Moved, math.Abs(smoothed[i]-v))
	}
	return z
}

// heightKnots returns the heights at the stations with their arc lengths, and more of them on segments that are more
// than maxRatio times as long as their neighbours: a spline would bulge there.
func (c *Curve) heightKnots(values []float64) (knots []knot, starts []float64) {
	n := len(values)
	long := func(i int) float64 {
		i = (i + n) % n
		if i == n-1 {
			return c.Length() - c.Stations[i]
		}
		return c.Stations[i+1] - c.Stations[i]
	}
	for i, v := range values {
		before, here, after := long(i-1), long(i), long(i+1)
		parts := []float64{0}
		if here > maxRatio*before {
			parts = append(parts, doubling(before/here)...)
		}
		if here > maxRatio*after {
			last := doubling(after / here)
			for k := len(last) - 1; k >= 0; k-- {
				parts = append(parts, 1-last[k])
			}
		}
		for _, part := range parts {
			z := v + float64(part*(values[(i+1)%n]-v))
			knots = append(knots, knot{Vector{X: z}, i})
			starts = append(starts, c.Stations[i]+float64(part*here))
		}
	}
	return knots, starts
}

// mean returns the mean of values at the stations, linear between them, along width of the line around each station.
func (c *Curve) mean(values []float64, width float64) []float64 {
	n := len(values)
	sum := make([]float64, n+1) // integral from the first station to each, and around the line
	for i, v := range values {
		stop := c.Length()
		if i+1 < n {
			stop = c.Stations[i+1]
		}
		sum[i+1] = sum[i] + float64(float64(0.5*(v+values[(i+1)%n]))*(stop-c.Stations[i]))
	}
	integral := func(arc float64) float64 {
		laps := math.Floor(arc / c.Length())
		arc = min(max(arc-float64(laps*c.Length()), 0), c.Length())
		i := max(sort.SearchFloat64s(c.Stations, arc)-1, 0)
		middle := float64(0.5 * (values[i] + c.between(values, i, arc)))
		return float64(laps*sum[n]) + sum[i] + float64(middle*(arc-c.Stations[i]))
	}
	means := make([]float64, n)
	for i, arc := range c.Stations {
		means[i] = (integral(arc+width/2) - integral(arc-width/2)) / width
	}
	return means
}

// At returns the height at an arc length of the curve in plan view, from 0 to its length, and the grade there.
func (z *Heights) At(arc float64) (height, grade float64) {
	i := max(sort.Search(len(z.starts), func(k int) bool { return z.starts[k] > arc })-1, 0)
	p, u := z.pieces[2*i], arc-z.starts[i]
	if u > p.length {
		p, u = z.pieces[2*i+1], min(u-p.length, p.length)
	}
	return p.at(u).X, p.velocity(u).X
}
