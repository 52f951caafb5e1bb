package curve

// energy is the quantity that the curve minimises: the integral of the squared second derivative over the chord length,
// plus the weighted squared distances of the knots from their places. The integral is a sum over the knots and the
// middles of the segments; the second derivative is linear between them.
//
// The middles halve the overshoot of the second derivative where a straight becomes a bend. For the same reason, large
// second derivatives weigh more than small ones: repeated solutions approach the fourth power.
type energy struct {
	h       []float64 // length of each segment
	yield   []float64 // of each knot, its freedom at a weight of 1; 0 for a fixed knot
	freedom []float64 // of each knot, its freedom at the current weights
	give    []float64 // of each knot and each middle, alternating: the inverse of its weight
}

func newEnergy(h, yield []float64) *energy {
	n := len(h)
	e := &energy{h: h, yield: yield, freedom: make([]float64, n), give: make([]float64, 2*n)}
	e.weigh(func(int) float64 { return 1 })
	return e
}

// weigh sets the weight of each knot and middle, per length. The freedom of a knot is divided by its weight, so that
// the weights do not affect the smoothing.
func (e *energy) weigh(weight func(k int) float64) {
	n := len(e.h)
	for i := range n {
		e.give[2*i] = 4 / float64((e.h[(i+n-1)%n]+e.h[i])*weight(2*i))
		e.give[2*i+1] = 2 / float64(e.h[i]*weight(2*i+1))
		e.freedom[i] = e.yield[i] / weight(2*i)
	}
}

// denseFactor is the maximum distance of neighbours that are smoothed, as a multiple of the smoothing length.
const denseFactor = 1.5

// yields returns the freedom of each knot to leave its place; 0 for a fixed knot. It depends on the length of line that
// a knot represents, so that the smoothing does not depend on the density of the points.
func yields(knots []knot, h []float64, smooth float64) []float64 {
	n := len(h)
	squared := float64(smooth * smooth)
	yield := make([]float64, n)
	for i := range n {
		before := h[(i+n-1)%n]
		if knots[i].source >= 0 && min(before, h[i]) < denseFactor*smooth {
			yield[i] = 2 * float64(squared*squared) / (before + h[i])
		}
	}
	return yield
}

// reweighings is the number of times that the curve is solved again with weights from the previous solution. More have
// little effect.
const reweighings = 3

// minimise returns the place of each knot, and the second derivative at each knot and each middle, alternating.
func (e *energy) minimise(knots []knot) (place, second []Vector) {
	place, second = e.solve(knots)
	weights := make([]float64, len(second))
	for k := range weights {
		weights[k] = 1
	}
	for range reweighings {
		mean := 0.0
		for _, v := range second {
			mean += v.Dot(v) / float64(len(second))
		}
		if !(mean > 0) {
			break
		}
		for k, v := range second {
			weights[k] = float64(0.5*weights[k]) + 0.5*(1+v.Dot(v)/mean)
		}
		e.weigh(func(k int) float64 { return weights[k] })
		place, second = e.solve(knots)
	}
	return place, second
}

// Integrals of the hat function of a knot (1 at the knot and 0 at its neighbours) times a function that is linear
// between knots and middles. Each constant is the coefficient of one value of that function: at the knot, per length of
// the segment on either side; at the middle and at the neighbour, per length of the segment.
const (
	hatHere   = 5.0 / 24
	hatMiddle = 1.0 / 4
	hatBeside = 1.0 / 24
)

// solve finds the curve for the current weights. With C for the integrals of hat functions, W for the weights, Q' for
// second differences and D for the freedoms, the multipliers m solve (C W^-1 C' + Q'DQ) m = Q'y in a ring. The second
// derivatives are W^-1 C' m, and the places y - DQm (Green, Silverman, "Nonparametric Regression and Generalized Linear
// Models", 1994, section 2.3).
func (e *energy) solve(knots []knot) (place, second []Vector) {
	h, n := e.h, len(e.h)
	after := func(i int) int { return (i + 1) % n }
	before := func(i int) int { return (i + n - 1) % n }
	here := func(i int) float64 { return float64(hatHere * (h[before(i)] + h[i])) }
	inverse := func(i int) float64 { return -(1/h[before(i)] + 1/h[i]) }
	m := newBanded(n)
	x, y := make([]float64, n), make([]float64, n)
	for i := range n {
		j, k := before(i), after(i)
		in, out := 1/h[j], 1/h[i]
		middleIn, middleOut, besideIn, besideOut := hatMiddle*h[j], hatMiddle*h[i], hatBeside*h[j], hatBeside*h[i]
		m.diagonal[i] = times(besideIn, besideIn, e.give[2*j]) + times(middleIn, middleIn, e.give[2*j+1]) +
			times(here(i), here(i), e.give[2*i]) + times(middleOut, middleOut, e.give[2*i+1]) +
			times(besideOut, besideOut, e.give[2*k]) +
			times(in, in, e.freedom[j]) + times(inverse(i), inverse(i), e.freedom[i]) + times(out, out, e.freedom[k])
		m.first[i] = times(here(i), besideOut, e.give[2*i]) + times(middleOut, middleOut, e.give[2*i+1]) +
			times(besideOut, here(k), e.give[2*k]) +
			times(inverse(i), out, e.freedom[i]) + times(out, inverse(k), e.freedom[k])
		m.second[i] = times(besideOut, hatBeside*h[k], e.give[2*k]) + times(out, 1/h[k], e.freedom[k])
		bend := knots[k].Sub(knots[i].Vector).Scale(out).Sub(knots[i].Sub(knots[j].Vector).Scale(in))
		x[i], y[i] = bend.X, bend.Y
	}
	m.solve(x, y)
	place, second = make([]Vector, n), make([]Vector, 2*n)
	multiplier := func(i int) Vector { return Vector{x[i], y[i]} }
	for i := range n {
		j, k := before(i), after(i)
		was, is, next := multiplier(j), multiplier(i), multiplier(k)
		second[2*i] = is.Scale(here(i)).Add(was.Scale(hatBeside * h[j])).Add(next.Scale(hatBeside * h[i])).
			Scale(e.give[2*i])
		second[2*i+1] = is.Add(next).Scale(hatMiddle * h[i]).Scale(e.give[2*i+1])
		bend := next.Sub(is).Scale(1 / h[i]).Sub(is.Sub(was).Scale(1 / h[j]))
		place[i] = knots[i].Sub(bend.Scale(e.freedom[i]))
	}
	return place, second
}

// times returns the product of three numbers, rounded after each step.
func times(a, b, c float64) float64 { return float64(float64(a*b) * c) }
