// Package overlay computes the region that triangles cover, as polygons that are valid in the sense of OGC Simple
// Features: rings do not cross or touch themselves, and the polygons of a region meet in single points at most.
//
// All arithmetic is exact. The corners are rounded to a grid of at most 2^28 steps a side, and so are the points where
// edges cross. Snap rounding (Hobby, "Practical segment intersection with finite precision output", Computational
// Geometry 13, 1999) leads each edge through the points of the grid that it passes, so that the edges have nothing in
// common but end points afterwards. The step of the grid is a power of two. Each coordinate of a result is therefore a
// float64 without rounding, and a program that parses its decimal digits finds the same polygon.
package overlay

import (
	"cmp"
	"errors"
	"math"
	"slices"
)

// Point is a place on a plane.
type Point struct{ X, Y float64 }

// Triangle is a triangle with its corners in either direction. Its area may be zero.
type Triangle [3]Point

// Polygon is a region with an outer border, which runs counter-clockwise, and holes, which run clockwise. The last
// point of a ring does not repeat the first.
type Polygon struct {
	Exterior []Point
	Holes    [][]Point
}

// ErrTangled is the error for edges with so many crossings that the computation would take too long.
var ErrTangled = errors.New("overlay: the edges meet too often")

// Union returns the region that at least one of the triangles covers. The coordinates must be finite. The polygons are
// in the order of their leftmost points. Triangles that are narrower than a step of the grid may vanish.
func Union(triangles []Triangle) ([]Polygon, error) {
	g := newGrid(triangles)
	if g.step == 0 {
		return nil, nil
	}
	work := budget(maxWork)
	fragments, err := snap(g.edges(triangles), &work)
	if err != nil {
		return nil, err
	}
	border, err := outline(fragments, &work)
	if err != nil {
		return nil, err
	}
	return assemble(g, rings(border), &work)
}

// maxWork is the maximum number of pairs of edges that one call compares. It takes a fraction of a second.
const maxWork = 1 << 24

// budget is the number of comparisons left.
type budget int

func (b *budget) spend(n int) error {
	if *b -= budget(n); *b < 0 {
		return ErrTangled
	}
	return nil
}

// node is a point of the grid, in steps from its corner.
type node struct{ x, y int64 }

// gridBits is the number of bits of the coordinates of a node. A product of two differences of doubled coordinates fits
// in an int64.
const gridBits = 28

// compare orders nodes by x, then by y.
func (a node) compare(b node) int { return cmp.Or(cmp.Compare(a.x, b.x), cmp.Compare(a.y, b.y)) }

// cross returns twice the area of the triangle o, a, b. It is positive if b is to the left of the line from o to a.
func cross(o, a, b node) int64 { return (a.x-o.x)*(b.y-o.y) - (a.y-o.y)*(b.x-o.x) }

// doubled returns the node in half steps.
func (a node) doubled() node { return node{2 * a.x, 2 * a.y} }

// grid maps points to nodes.
type grid struct {
	step   float64 // 0 if all points are the same
	corner node    // the origin of nodes, in steps
}

func newGrid(triangles []Triangle) (g grid) {
	low, high := Point{math.Inf(1), math.Inf(1)}, Point{math.Inf(-1), math.Inf(-1)}
	for _, t := range triangles {
		for _, p := range t {
			low = Point{min(low.X, p.X), min(low.Y, p.Y)}
			high = Point{max(high.X, p.X), max(high.Y, p.Y)}
		}
	}
	extent := max(high.X-low.X, high.Y-low.Y)
	if !(extent > 0) {
		return g
	}
	const mantissa = 52 // bits, one less than a float64 has
	_, exponent := math.Frexp(extent)
	_, farthest := math.Frexp(max(-low.X, high.X, -low.Y, high.Y))
	g.step = math.Ldexp(1, max(exponent-gridBits, farthest-mantissa))
	g.corner = node{int64(math.Round(low.X / g.step)), int64(math.Round(low.Y / g.step))}
	return g
}

func (g grid) node(p Point) node {
	return node{int64(math.Round(p.X/g.step)) - g.corner.x, int64(math.Round(p.Y/g.step)) - g.corner.y}
}

func (g grid) point(n node) Point {
	return Point{float64(n.x+g.corner.x) * g.step, float64(n.y+g.corner.y) * g.step}
}

// edge is a straight line between two nodes, of which from is the smaller one.
type edge struct {
	from, to node
	// net is the number of triangles above the edge (on its left, seen along it) that have it as a side, minus the
	// number of those below it.
	net int
}

// edges returns the edges of the triangles. It omits an edge with as many triangles on one side as on the other,
// because it is no border of the region.
func (g grid) edges(triangles []Triangle) []edge {
	var list []edge
	for _, t := range triangles {
		a, b, c := g.node(t[0]), g.node(t[1]), g.node(t[2])
		switch area := cross(a, b, c); {
		case area == 0:
			continue
		case area < 0:
			b, c = c, b
		}
		list = append(list, newEdge(a, b, 1), newEdge(b, c, 1), newEdge(c, a, 1))
	}
	return merge(list)
}

func newEdge(from, to node, net int) edge {
	if from.compare(to) > 0 {
		return edge{to, from, -net}
	}
	return edge{from, to, net}
}

// merge sorts the edges, adds those between the same nodes, and removes those whose sum is zero.
func merge(list []edge) []edge {
	slices.SortFunc(list, func(a, b edge) int { return cmp.Or(a.from.compare(b.from), a.to.compare(b.to)) })
	merged := list[:0]
	for i := 0; i < len(list); {
		e := list[i]
		for i++; i < len(list) && list[i].from == e.from && list[i].to == e.to; i++ {
			e.net += list[i].net
		}
		if e.net != 0 {
			merged = append(merged, e)
		}
	}
	return merged
}
