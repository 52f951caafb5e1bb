package export

import (
	"cmp"
	"math"
	"slices"

	"github.com/trackgen-go/trackgen/internal/overlay"
)

// polygon is a part of the surface of a road. Its rings follow the right-hand rule of RFC 7946: the exterior runs
// counter-clockwise and the holes clockwise. The last point of a ring does not repeat the first.
type polygon struct {
	exterior []Point
	holes    [][]Point
	flat     bool // the points have no height
}

// surface computes the surfaces of roads. It reuses its memory.
type surface struct {
	parts []overlay.Triangle
	edges []borderEdge
}

// of returns the surface between the borders of a road, seen from above, as polygons that are valid in the sense of OGC
// Simple Features. It may turn the borders around.
//
// A road whose borders do not meet is one polygon with the points of its borders: the outer one is the exterior, and
// the inner one the hole. Borders meet where a circuit crosses itself on a bridge, and where the inner border of a
// tight bend folds. Then the surface is the union of the pieces from each point to the next. It is also the union if a
// piece folds because the inner border of a bend lies beyond its centre.
func (s *surface) of(right, left []Point) ([]polygon, error) {
	exterior, hole := left, right
	if math.Abs(signedArea(right)) >= math.Abs(signedArea(left)) {
		exterior, hole = right, left
	}
	if folded := s.cut(right, left); !folded && s.apart(exterior, hole) && encloses(exterior, hole[0]) {
		turn(exterior, 1)
		turn(hole, -1)
		return []polygon{{exterior, [][]Point{hole}, false}}, nil
	}
	region, err := overlay.Union(s.parts)
	if err != nil {
		return nil, err
	}
	height, level := commonHeight(right, left)
	points := func(ring []overlay.Point) (list []Point) {
		for _, p := range ring {
			list = append(list, Point{p.X, p.Y, height})
		}
		return list
	}
	var polygons []polygon
	for _, part := range region {
		p := polygon{exterior: points(part.Exterior), flat: !level} // a place has two heights where a road crosses itself
		for _, hole := range part.Holes {
			p.holes = append(p.holes, points(hole))
		}
		polygons = append(polygons, p)
	}
	return polygons, nil
}

// turn reverses the ring, except for its first point, if its signed area does not have the sign of direction.
func turn(ring []Point, direction float64) {
	if signedArea(ring)*direction < 0 {
		slices.Reverse(ring[1:])
	}
}

// commonHeight returns the height of the points, and whether all have the same.
func commonHeight(lines ...[]Point) (height float64, level bool) {
	height = lines[0][0].Z
	for _, line := range lines {
		for _, p := range line {
			if p.Z != height {
				return 0, false
			}
		}
	}
	return height, true
}

// cut cuts the road into the pieces from each point to the next, of two triangles each. It reports whether a piece
// folds: its two cross-sections meet.
func (s *surface) cut(right, left []Point) (folded bool) {
	s.parts = s.parts[:0]
	at := func(p Point) overlay.Point { return overlay.Point{X: p.X, Y: p.Y} }
	for i := range right {
		next := (i + 1) % len(right)
		a, b, c, d := at(right[i]), at(right[next]), at(left[next]), at(left[i])
		// Of the two diagonals, take one that lies inside the piece.
		if area(a, b, c) < 0 || area(a, c, d) < 0 {
			a, b, c, d = b, c, d, a
		}
		folded = folded || area(a, b, c) < 0 || area(a, c, d) < 0
		s.parts = append(s.parts, overlay.Triangle{a, b, c}, overlay.Triangle{a, c, d})
	}
	return folded
}

func area(a, b, c overlay.Point) float64 {
	return float64((b.X-a.X)*(c.Y-a.Y)) - float64((b.Y-a.Y)*(c.X-a.X))
}

// borderEdge is an edge of a ring with the interval that it covers on an axis.
type borderEdge struct {
	a, b      Point
	ring, at  int // the edge goes from point at of its ring to the next one
	points    int // of the ring
	low, high float64
}

// apart reports whether closed lines certainly do not meet each other or themselves. It returns false if they come
// so close that rounding decides, or if the search would take too long.
func (s *surface) apart(rings ...[]Point) bool {
	// Hardly any straight of a real road is perpendicular to this axis.
	const axisX, axisY = 1, 0.6180339887498949
	edges := s.edges[:0]
	low, high := Point{math.Inf(1), math.Inf(1), 0}, Point{math.Inf(-1), math.Inf(-1), 0}
	for k, ring := range rings {
		for i, a := range ring {
			b := ring[(i+1)%len(ring)]
			from, to := a.X*axisX+a.Y*axisY, b.X*axisX+b.Y*axisY
			edges = append(edges, borderEdge{a, b, k, i, len(ring), min(from, to), max(from, to)})
			low, high = Point{min(low.X, a.X), min(low.Y, a.Y), 0}, Point{max(high.X, a.X), max(high.Y, a.Y), 0}
		}
	}
	s.edges = edges
	const tolerance, rounding = 1e-9, 1e-12
	extent := max(high.X-low.X, high.Y-low.Y)
	slack := max(tolerance*extent, rounding*max(high.X, high.Y, -low.X, -low.Y))
	slices.SortFunc(edges, func(a, b borderEdge) int { return cmp.Compare(a.low, b.low) })
	compared := 0
	for k := range edges {
		for other := k + 1; other < len(edges) && edges[other].low <= edges[k].high+slack; other++ {
			compared++
			if compared > pairsPerPoint*len(edges) || !edgesApart(&edges[k], &edges[other], slack, rounding*extent*extent) {
				return false
			}
		}
	}
	return true
}

// edgesApart reports whether two edges certainly share no point, except for the one between neighbours.
func edgesApart(e, f *borderEdge, slack, least float64) bool {
	side := func(o, p, q Point) float64 { return float64((p.X-o.X)*(q.Y-o.Y)) - float64((p.Y-o.Y)*(q.X-o.X)) }
	if e.ring == f.ring && ((e.at+1)%e.points == f.at || (f.at+1)%f.points == e.at) {
		if (e.at+1)%e.points != f.at {
			e, f = f, e
		}
		ahead := float64((e.a.X-e.b.X)*(f.b.X-e.b.X)) + float64((e.a.Y-e.b.Y)*(f.b.Y-e.b.Y))
		return ahead < 0 || math.Abs(side(e.b, e.a, f.b)) > least
	}
	if min(e.a.X, e.b.X) > max(f.a.X, f.b.X)+slack || min(f.a.X, f.b.X) > max(e.a.X, e.b.X)+slack ||
		min(e.a.Y, e.b.Y) > max(f.a.Y, f.b.Y)+slack || min(f.a.Y, f.b.Y) > max(e.a.Y, e.b.Y)+slack {
		return true
	}
	oneSide := func(a, b float64) bool { return a > least && b > least || a < -least && b < -least }
	return oneSide(side(e.a, e.b, f.a), side(e.a, e.b, f.b)) || oneSide(side(f.a, f.b, e.a), side(f.a, f.b, e.b))
}

// encloses reports whether a point lies inside a ring that does not meet it.
func encloses(ring []Point, p Point) (inside bool) {
	for i, a := range ring {
		b := ring[(i+1)%len(ring)]
		if a.Y > p.Y != (b.Y > p.Y) && p.X < a.X+(p.Y-a.Y)/(b.Y-a.Y)*(b.X-a.X) {
			inside = !inside
		}
	}
	return inside
}
