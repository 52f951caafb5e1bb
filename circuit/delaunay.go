package circuit

import (
	"math"
	"math/big"
)

// triangle is a triangle of a triangulation: the indices of its corners, counter-clockwise.
type triangle [3]int

// triangulate returns the Delaunay triangulation of distinct points: the circle through the corners of a triangle
// contains no other point. It inserts the points one after another (A. Bowyer, D. Watson, Computer Journal 24, 1981),
// in quadratic time.
func triangulate(points []vector) []triangle {
	n := len(points)
	all := append([]vector{}, points...)
	low, high := points[0], points[0]
	for _, p := range points {
		low, high = vector{min(low.x, p.x), min(low.y, p.y)}, vector{max(high.x, p.x), max(high.y, p.y)}
	}
	// A large triangle around all points, removed at the end.
	centre, extent := between(low, high, 0.5), 1e3*max(high.x-low.x, high.y-low.y, 1)
	all = append(all, vector{centre.x - 2*extent, centre.y - extent}, vector{centre.x + 2*extent, centre.y - extent},
		vector{centre.x, centre.y + 2*extent})
	triangles := []triangle{{n, n + 1, n + 2}}
	for i := range n {
		triangles = insertPoint(all, triangles, i)
	}
	var out []triangle
	for _, t := range triangles {
		if t[0] < n && t[1] < n && t[2] < n {
			out = append(out, t)
		}
	}
	return out
}

// insertPoint replaces the triangles whose circumcircle contains point i by triangles with i as a corner.
func insertPoint(points []vector, triangles []triangle, i int) []triangle {
	var kept []triangle
	var edges [][2]int // of the replaced triangles
	count := map[[2]int]int{}
	for _, t := range triangles {
		if !inCircle(points[t[0]], points[t[1]], points[t[2]], points[i]) {
			kept = append(kept, t)
			continue
		}
		for k := range t {
			edge := [2]int{t[k], t[(k+1)%3]}
			edges = append(edges, edge)
			count[edge]++
		}
	}
	for _, edge := range edges {
		if count[[2]int{edge[1], edge[0]}] == 0 { // an edge of the cavity: the triangle beyond it stays
			kept = append(kept, triangle{edge[0], edge[1], i})
		}
	}
	return kept
}

// inCircle reports whether p is inside the circle through a, b and c, which are counter-clockwise.
func inCircle(a, b, c, p vector) bool {
	a, b, c = a.minus(p), b.minus(p), c.minus(p)
	aa, bb, cc := a.dot(a), b.dot(b), c.dot(c)
	determinant := aa*b.cross(c) + bb*c.cross(a) + cc*a.cross(b)
	size := aa*(math.Abs(b.x*c.y)+math.Abs(b.y*c.x)) + bb*(math.Abs(c.x*a.y)+math.Abs(c.y*a.x)) +
		cc*(math.Abs(a.x*b.y)+math.Abs(a.y*b.x))
	const rounding = 4e-15 // relative to the sum of the terms
	if math.Abs(determinant) > rounding*size {
		return determinant > 0
	}
	return exactInCircle(a, b, c)
}

// exactInCircle is inCircle around the origin, without rounding. Points on the circle are not inside, so the corners of
// a square give the same triangles in every order of the terms.
func exactInCircle(a, b, c vector) bool {
	exact := func(v float64) *big.Rat { return new(big.Rat).SetFloat64(v) }
	product := func(u, v *big.Rat) *big.Rat { return new(big.Rat).Mul(u, v) }
	square := func(p vector) *big.Rat {
		return new(big.Rat).Add(product(exact(p.x), exact(p.x)), product(exact(p.y), exact(p.y)))
	}
	cross := func(p, q vector) *big.Rat {
		return new(big.Rat).Sub(product(exact(p.x), exact(q.y)), product(exact(p.y), exact(q.x)))
	}
	sum := product(square(a), cross(b, c))
	sum.Add(sum, product(square(b), cross(c, a)))
	sum.Add(sum, product(square(c), cross(a, b)))
	return sum.Sign() > 0
}
