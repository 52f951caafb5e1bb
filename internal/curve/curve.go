package curve

import "math"

// Curve is a closed curve with continuous curvature through or near points.
type Curve struct {
	pieces   []piece
	ends     []float64 // arc length at the end of each piece
	Stations []float64 // arc length of each point, in [0, Length)
	// Smoothed is the largest distance of the curve from a point.
	Smoothed float64
}

// piece is the cubic p(u) = a + b u + c u^2 + d u^3 for 0 <= u <= length, which is the length of its chord.
type piece struct {
	a, b, c, d Vector
	length     float64
}

// Fit returns the closed curve through 3 or more points. No two neighbours may be equal, nor the last point and the
// first. Points nearer to one another than 1.5 times smooth are smoothed, which removes waves shorter than about six
// times smooth. If smooth is 0, the curve passes through all points.
func Fit(points []Vector, smooth float64) *Curve {
	knots := grade(points, smooth)
	n := len(knots)
	h := make([]float64, n) // lengths of the segments
	for i := range n {
		h[i] = knots[(i+1)%n].Sub(knots[i].Vector).Len()
	}
	e := newEnergy(h, yields(knots, h, smooth))
	place, second := e.minimise(knots)
	c := &Curve{Stations: make([]float64, len(points))}
	for i, k := range knots {
		c.Smoothed = max(c.Smoothed, place[i].Sub(k.Vector).Len())
	}
	c.pieces, c.ends = make([]piece, 0, 2*n), make([]float64, 0, 2*n)
	total := 0.0
	add := func(p piece) {
		c.pieces = append(c.pieces, p)
		total += p.arc(0, p.length)
		c.ends = append(c.ends, total)
	}
	for i := range n {
		if knots[i].source >= 0 {
			c.Stations[knots[i].source] = total
		}
		first, last := segment(place, second, h, i)
		add(first)
		add(last)
	}
	return c
}

// segment returns the two pieces between knot i and the next one, for the places of the knots, the second derivatives
// at the knots and the middles, alternating, and the lengths of the segments.
func segment(place, second []Vector, h []float64, i int) (first, last piece) {
	n := len(h)
	half := h[i] / 2
	start, middle, stop := second[2*i], second[2*i+1], second[(2*i+2)%(2*n)]
	bend := start.Scale(5).Add(middle.Scale(6)).Add(stop).Scale(half / 12)
	first = cubic(place[i], place[(i+1)%n].Sub(place[i]).Scale(1/h[i]).Sub(bend), start, middle, half)
	return first, cubic(first.at(half), first.velocity(half), middle, stop, half)
}

// cubic returns the piece with the given place and derivative at its start, and second derivatives at both ends.
func cubic(place, velocity, start, stop Vector, length float64) piece {
	return piece{a: place, b: velocity, c: start.Scale(0.5), d: stop.Sub(start).Scale(1 / (6 * length)), length: length}
}

// at returns the place of the piece at u.
func (p piece) at(u float64) Vector { return p.d.Scale(u).Add(p.c).Scale(u).Add(p.b).Scale(u).Add(p.a) }

// velocity returns the first derivative.
func (p piece) velocity(u float64) Vector {
	return p.d.Scale(3 * u).Add(p.c.Scale(2)).Scale(u).Add(p.b)
}

// curvature returns the curvature, > 0 in bends to the left. It is infinite where the piece stands still.
func (p piece) curvature(u float64) float64 {
	v := p.velocity(u)
	speed := v.Len()
	if !(speed > 0) {
		return math.Inf(1)
	}
	acceleration := p.d.Scale(6 * u).Add(p.c.Scale(2))
	return v.Cross(acceleration) / float64(float64(speed*speed)*speed)
}

// Length returns the arc length of the whole curve.
func (c *Curve) Length() float64 { return c.ends[len(c.ends)-1] }
