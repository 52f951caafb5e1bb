package export

import "math"

// cubic is one piece of a reference line: a parametric cubic curve in local coordinates. Their origin is the start of
// the piece and their u axis is the tangent there. For p from 0 to 1,
//
//	u = bU p + cU p² + dU p³    v = cV p² + dV p³
type cubic struct {
	s          float64 // arc length of the line before this piece
	x, y       float64 // start
	heading    float64 // of the tangent at the start, in radians from the x axis
	length     float64 // arc length
	bU, cU, dU float64
	cV, dV     float64
}

// referenceLine returns a closed smooth curve through the points of the centreline, with one piece from each point to
// the next. Piece i starts exactly at point i. The curve is the cubic spline over the chords, so that the tangent and
// the curvature are continuous, also from the last piece to the first.
func (r *Road) referenceLine() ([]cubic, error) {
	line := r.Center
	n := len(line)
	chords := make([]float64, n)
	for i, p := range line {
		chords[i] = planDistance(p, line[(i+1)%n])
	}
	for i := range line {
		if chords[(i+n-1)%n] == 0 || chords[i] == 0 {
			return nil, errNoRoad(r.Env, "point %d of the centreline lies on a neighbour and has no direction", i)
		}
	}
	tangents := splineTangents(line, chords)
	for i, p := range line {
		before, after := line[(i+n-1)%n], line[(i+1)%n]
		backward, forward := chords[(i+n-1)%n], chords[i]
		// This is the direction of the tangent of the circle through the three points, and is zero if there is none.
		dx := float64(forward*((p.X-before.X)/backward)) + float64(backward*((after.X-p.X)/forward))
		dy := float64(forward*((p.Y-before.Y)/backward)) + float64(backward*((after.Y-p.Y)/forward))
		if dx == 0 && dy == 0 || tangents[i].length() == 0 {
			return nil, errNoRoad(r.Env, "the centreline turns back on itself at point %d and has no direction there", i)
		}
	}
	pieces := make([]cubic, n)
	s := 0.0
	for i := range pieces {
		next := (i + 1) % n
		pieces[i] = cubicBetween(line[i], tangents[i], line[next], tangents[next], chords[i])
		pieces[i].s = s
		s += pieces[i].length
	}
	return pieces, nil
}

// derivative is the derivative of a curve with respect to its parameter.
type derivative struct{ x, y float64 }

func (d derivative) length() float64  { return math.Hypot(d.x, d.y) }
func (d derivative) heading() float64 { return math.Atan2(d.y, d.x) }

// splineTangents returns the derivatives at the points of the closed cubic spline whose parameter is the length of the
// chords, none of which may be 0. The second derivative is continuous at point i if
//
//	λ m[i-1] + 2 m[i] + (1-λ) m[i+1] = 3 (λ d[i-1] + (1-λ) d[i]),   λ = chord[i] / (chord[i-1] + chord[i])
//
// with the derivatives m and the unit vectors d along the chords. The rows are diagonally dominant, so the elimination
// needs no pivots and no derivative is longer than 3. The two entries in the corners of the cyclic matrix are a
// correction of rank 1 (Sherman and Morrison).
func splineTangents(line []Point, chords []float64) []derivative {
	n := len(line)
	lambda := make([]float64, n)
	m := make([]derivative, n)
	correction := make([]float64, n)
	unit := func(i int) derivative {
		a, b := line[i], line[(i+1)%n]
		return derivative{(b.X - a.X) / chords[i], (b.Y - a.Y) / chords[i]}
	}
	for i := range line {
		last := (i + n - 1) % n
		lambda[i] = chords[i] / (chords[last] + chords[i])
		d, e, mu := unit(last), unit(i), 1-lambda[i]
		m[i] = derivative{
			3 * (float64(lambda[i]*d.x) + float64(mu*e.x)),
			3 * (float64(lambda[i]*d.y) + float64(mu*e.y)),
		}
	}
	const diagonal = 2.0
	corner, lastCorner := lambda[0], 1-lambda[n-1] // of the first row and of the last row
	correction[0], correction[n-1] = -diagonal, lastCorner
	// Eliminate downwards, then substitute upwards.
	above := make([]float64, n) // the entry right of the diagonal in the reduced row
	for i := range m {
		pivot := diagonal
		switch i {
		case 0:
			pivot = 2 * diagonal
		case n - 1:
			pivot += lastCorner * corner / diagonal
		}
		if i > 0 {
			pivot -= float64(lambda[i] * above[i-1])
			m[i].x -= float64(lambda[i] * m[i-1].x)
			m[i].y -= float64(lambda[i] * m[i-1].y)
			correction[i] -= float64(lambda[i] * correction[i-1])
		}
		above[i] = (1 - lambda[i]) / pivot
		m[i].x /= pivot
		m[i].y /= pivot
		correction[i] /= pivot
	}
	for i := n - 2; i >= 0; i-- {
		m[i].x -= float64(above[i] * m[i+1].x)
		m[i].y -= float64(above[i] * m[i+1].y)
		correction[i] -= float64(above[i] * correction[i+1])
	}
	ratio := corner / -diagonal
	scale := 1 + correction[0] + float64(ratio*correction[n-1])
	x := (m[0].x + float64(ratio*m[n-1].x)) / scale
	y := (m[0].y + float64(ratio*m[n-1].y)) / scale
	for i := range m {
		m[i].x -= float64(x * correction[i])
		m[i].y -= float64(y * correction[i])
	}
	return m
}

// cubicBetween returns the cubic curve between two points with the given derivatives with respect to the length of the
// chord.
func cubicBetween(from Point, start derivative, to Point, end derivative, chord float64) cubic {
	heading := start.heading()
	sin, cos := math.Sincos(heading)
	local := func(dx, dy float64) (u, v float64) {
		return float64(dx*cos) + float64(dy*sin), float64(dy*cos) - float64(dx*sin)
	}
	u, v := local(to.X-from.X, to.Y-from.Y)
	endU, endV := local(chord*end.x, chord*end.y)
	speed := chord * start.length()
	c := cubic{
		x: from.X, y: from.Y, heading: heading, bU: speed,
		cU: float64(3*u) - float64(2*speed) - endU, dU: speed + endU - float64(2*u),
		cV: float64(3*v) - endV, dV: endV - float64(2*v),
	}
	c.length = c.measure()
	return c
}

// measure returns the arc length, by five-point Gauss-Legendre quadrature on each of eight parts. The result is one
// part in a billion too short, because readers such as Scenic search a piece for the place where the arc length is s,
// and fail if the piece ends before it.
func (c *cubic) measure() float64 {
	nodes := [...]float64{0, 0.5384693101056831, 0.9061798459386640}
	weights := [...]float64{0.5688888888888889, 0.4786286704993665, 0.2369268850561891}
	const parts, slack = 8, 1e-9
	speed := func(p float64) float64 {
		du := c.bU + float64(2*c.cU*p) + float64(3*c.dU*p*p)
		dv := float64(2*c.cV*p) + float64(3*c.dV*p*p)
		return math.Hypot(du, dv)
	}
	sum := 0.0
	for part := range parts {
		middle, half := (float64(part)+0.5)/parts, 0.5/parts
		sum += float64(weights[0] * speed(middle))
		for k := 1; k < len(nodes); k++ {
			sum += float64(weights[k] * (speed(middle-float64(half*nodes[k])) + speed(middle+float64(half*nodes[k]))))
		}
	}
	return sum * 0.5 / parts * (1 - slack)
}
