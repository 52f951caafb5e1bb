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
// the next. Piece i starts exactly at point i, and the tangent is continuous. The tangent at a point is that of the
// circle through the point and its neighbours. The speed is that of the circular arc, so on a circle the pieces are
// nearly circular.
func (r *Road) referenceLine() ([]cubic, error) {
	line := r.Center
	n := len(line)
	headings := make([]float64, n)
	for i, p := range line {
		before, after := line[(i+n-1)%n], line[(i+1)%n]
		backward, forward := planDistance(before, p), planDistance(p, after)
		if backward == 0 || forward == 0 {
			return nil, errNoRoad(r.Env, "point %d of the centreline lies on a neighbour and has no direction", i)
		}
		// The direction of each edge is weighted by the length of the other edge. The sum is exactly the tangent of the
		// circle.
		dx := float64(forward*((p.X-before.X)/backward)) + float64(backward*((after.X-p.X)/forward))
		dy := float64(forward*((p.Y-before.Y)/backward)) + float64(backward*((after.Y-p.Y)/forward))
		if dx == 0 && dy == 0 {
			return nil, errNoRoad(r.Env, "the centreline turns back on itself at point %d and has no direction there", i)
		}
		headings[i] = math.Atan2(dy, dx)
	}
	pieces := make([]cubic, n)
	s := 0.0
	for i := range pieces {
		next := (i + 1) % n
		pieces[i] = cubicBetween(line[i], headings[i], line[next], headings[next])
		pieces[i].s = s
		s += pieces[i].length
	}
	return pieces, nil
}

// cubicBetween returns the Hermite curve between two points with the given headings, in radians.
func cubicBetween(from Point, heading float64, to Point, headingTo float64) cubic {
	sin, cos := math.Sincos(heading)
	dx, dy := to.X-from.X, to.Y-from.Y
	u, v := float64(dx*cos)+float64(dy*sin), float64(dy*cos)-float64(dx*sin)
	turn := math.Remainder(headingTo-heading, 2*math.Pi)
	speed := arcLength(math.Hypot(dx, dy), turn)
	turnSin, turnCos := math.Sincos(turn)
	endU, endV := speed*turnCos, speed*turnSin
	c := cubic{
		x: from.X, y: from.Y, heading: heading, bU: speed,
		cU: float64(3*u) - float64(2*speed) - endU, dU: speed + endU - float64(2*u),
		cV: float64(3*v) - endV, dV: endV - float64(2*v),
	}
	c.length = c.measure()
	return c
}

// arcLength returns the length of the circular arc over a chord. turn is the angle that the arc turns by, in radians; a
// larger turn than half a circle counts as half a circle.
func arcLength(chord, turn float64) float64 {
	const small = 1e-4 // below this, the quotient is 1 to within 1e-9
	half := min(math.Abs(turn)/2, math.Pi/2)
	if half < small {
		return chord
	}
	return chord * half / math.Sin(half)
}

// measure returns the arc length, by five-point Gauss-Legendre quadrature on each of four parts.
func (c *cubic) measure() float64 {
	nodes := [...]float64{0, 0.5384693101056831, 0.9061798459386640}
	weights := [...]float64{0.5688888888888889, 0.4786286704993665, 0.2369268850561891}
	const parts = 4
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
	return sum * 0.5 / parts
}
