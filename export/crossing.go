package export

import (
	"cmp"
	"math"
	"slices"
)

// span is the interval that an edge covers on an axis.
type span struct {
	low, high float64
	edge      int // from point edge to the next point
}

// pairsPerPoint times the number of points is the maximum number of pairs of edges to compare. Up to 512 points, that
// covers all pairs. On longer lines that do not cross themselves, only a few edges per point overlap on the axis.
const pairsPerPoint = 256

// compareEdges reports whether the centreline crosses itself, seen from above, like that of a circuit with a bridge. It
// compares at most the given number of pairs of edges. If that does not settle it, known is false.
func (r *Road) compareEdges(most int) (crosses, known bool) {
	known = r.eachCrossing(most, func(_, _ int) bool {
		crosses = true
		return false
	})
	return crosses, known
}

// eachCrossing calls found with every pair of edges of the centreline that cross, until it returns false. It compares
// at most the given number of pairs and returns false if it has stopped there.
func (r *Road) eachCrossing(most int, found func(i, j int) (more bool)) (known bool) {
	// Edges that cross overlap on every axis. Hardly any straight of a real road is perpendicular to this axis.
	const axisX, axisY = 1, 0.6180339887498949
	// The slack keeps rounding from separating edges that touch.
	const slack = 1e-12
	n := len(r.Center)
	r.spans = slices.Grow(r.spans[:0], n)
	for i, a := range r.Center {
		b := r.Center[(i+1)%n]
		from, to := float64(a.X*axisX)+float64(a.Y*axisY), float64(b.X*axisX)+float64(b.Y*axisY)
		rounding := slack * (math.Abs(a.X) + math.Abs(a.Y) + math.Abs(b.X) + math.Abs(b.Y))
		r.spans = append(r.spans, span{min(from, to) - rounding, max(from, to) + rounding, i})
	}
	slices.SortFunc(r.spans, func(a, b span) int { return cmp.Compare(a.low, b.low) })
	compared := 0
	for k, s := range r.spans {
		for _, other := range r.spans[k+1:] {
			if other.low > s.high {
				break
			}
			if compared++; compared > most {
				return false
			}
			if r.edgesCross(s.edge, other.edge) && !found(s.edge, other.edge) {
				return true
			}
		}
	}
	return true
}

// edgesCross reports whether two edges of the centreline cross. It returns false for neighbours.
func (r *Road) edgesCross(i, j int) bool {
	n := len(r.Center)
	if (i+1)%n == j || (j+1)%n == i {
		return false
	}
	a, b, p, q := r.Center[i], r.Center[(i+1)%n], r.Center[j], r.Center[(j+1)%n]
	if min(p.X, q.X) > max(a.X, b.X) || max(p.X, q.X) < min(a.X, b.X) ||
		min(p.Y, q.Y) > max(a.Y, b.Y) || max(p.Y, q.Y) < min(a.Y, b.Y) {
		return false
	}
	side := func(a, b, p Point) bool { return float64((b.X-a.X)*(p.Y-a.Y))-float64((b.Y-a.Y)*(p.X-a.X)) > 0 }
	return side(a, b, p) != side(a, b, q) && side(p, q, a) != side(p, q, b)
}
