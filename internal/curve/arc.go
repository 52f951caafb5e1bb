package curve

// Nodes and weights of the Gauss-Legendre rule with three points on [-1, 1].
const (
	gaussNode   = 0.7745966692414834
	gaussMiddle = 8.0 / 9
	gaussSide   = 5.0 / 9
)

// arcParts is the number of parts of a piece to which the rule is applied.
const arcParts = 4

// gauss returns the arc length between two parameters of a piece, by one application of the rule.
func (p piece) gauss(from, to float64) float64 {
	middle, half := (from+to)/2, (to-from)/2
	away := float64(half * gaussNode)
	sides := p.velocity(middle-away).Len() + p.velocity(middle+away).Len()
	return float64(half * (float64(gaussMiddle*p.velocity(middle).Len()) + float64(gaussSide*sides)))
}

// arc returns the arc length between two parameters of a piece.
func (p piece) arc(from, to float64) float64 {
	sum := 0.0
	for k := range arcParts {
		sum += p.gauss(p.part(from, to, k), p.part(from, to, k+1))
	}
	return sum
}

// part returns the parameter at the start of part k of arcParts.
func (piece) part(from, to float64, k int) float64 {
	return from + float64((to-from)*(float64(k)/arcParts))
}

// parameter returns the parameter at which the arc length from the start of the piece is s.
func (p piece) parameter(s float64) float64 {
	k, before := 0, 0.0
	for ; k < arcParts-1; k++ {
		here := p.gauss(p.part(0, p.length, k), p.part(0, p.length, k+1))
		if before+here >= s {
			break
		}
		before += here
	}
	from, to := p.part(0, p.length, k), p.part(0, p.length, k+1)
	u := from
	const steps = 6 // maximum; Newton's method needs three if the speed is nearly constant
	for range steps {
		speed := p.velocity(u).Len()
		if !(speed > 0) {
			break
		}
		u = min(max(u-(before+p.gauss(from, u)-s)/speed, from), to)
	}
	return u
}

// Place is a point of a curve with its direction and curvature.
type Place struct {
	Vector
	Tangent   Vector  // of length 1
	Arc       float64 // arc length from the first point
	Curvature float64 // > 0 in bends to the left
}

// place returns the place on piece i at u.
func (c *Curve) place(i int, u, arc float64) Place {
	p := c.pieces[i]
	return Place{Vector: p.at(u), Tangent: p.velocity(u).unit(), Arc: arc, Curvature: p.curvature(u)}
}

// Sample returns the first n of total places at equal arc lengths, starting at the first point.
func (c *Curve) Sample(n, total int) []Place {
	places := make([]Place, n)
	i := 0
	for k := range places {
		arc := float64(float64(k)*c.Length()) / float64(total)
		for i < len(c.pieces)-1 && c.ends[i] < arc {
			i++
		}
		places[k] = c.place(i, c.pieces[i].parameter(arc-c.start(i)), arc)
	}
	return places
}

// start returns the arc length at which piece i starts.
func (c *Curve) start(i int) float64 {
	if i == 0 {
		return 0
	}
	return c.ends[i-1]
}

// scanParts is the number of places that Scan visits on each piece. A segment has two pieces.
const scanParts = 4

// Scan calls visit for each place at which the curvature is tested: the points, and several places between neighbours.
func (c *Curve) Scan(visit func(Place)) {
	for i, p := range c.pieces {
		arc := c.start(i)
		for k := range scanParts {
			u := float64(p.length * (float64(k) / scanParts))
			visit(c.place(i, u, arc))
			arc += p.gauss(u, float64(p.length*(float64(k+1)/scanParts)))
		}
	}
}
