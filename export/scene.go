package export

import (
	"math"
	"slices"
)

// scene collects the parts of a course in space and draws them from back to front, so that what is nearer to the viewer
// covers what is behind it, as at a bridge.
type scene struct {
	projection
	parts []part
}

// part is a small piece of a course: a filled outline, lines, or both. It is so small that its middle says whether it
// is in front of another part.
type part struct {
	depth float64 // nearer parts have a larger depth
	fill  []point
	color rgb
	lines [][]point
	pen   stroke
}

// draw draws all parts. Parts of the same depth keep their order.
func (s *scene) draw(c canvas) {
	slices.SortStableFunc(s.parts, func(a, b part) int {
		switch {
		case a.depth < b.depth:
			return -1
		case a.depth > b.depth:
			return 1
		default:
			return 0
		}
	})
	for _, p := range s.parts {
		if p.fill != nil {
			c.fill([][]point{p.fill}, p.color)
		}
		for _, line := range p.lines {
			c.line(line, p.pen)
		}
	}
}

// mostPieces is the maximum number of pieces of one line, so that a line of any length is drawn in short time.
const mostPieces = 4096

// pieces returns into how many parts a line of this length in pixels is cut.
func pieces(length, each float64) int {
	return int(clamp(math.Ceil(length/each), 1, mostPieces))
}

// segment adds a straight line in space. Its parts are drawn bias in front of where they are.
func (s *scene) segment(a, b vector3, pen stroke, bias float64) {
	n := pieces(distance(s.show(a), s.show(b)), 8)
	for i := range n {
		from, to := a.toward(b, float64(i)/float64(n)), a.toward(b, float64(i+1)/float64(n))
		s.parts = append(s.parts, part{
			depth: s.back.dot(from.toward(to, 0.5)) + bias,
			lines: [][]point{s.stretched(from, to)},
			pen:   pen,
		})
	}
}

// stretched returns a line a little longer than from a place to another, so that no gap shows between pieces.
func (s *scene) stretched(from, to vector3) []point {
	const overlap = 0.4 // pixels
	a, b := stretch(s.show(from), s.show(to), overlap)
	if a.x == b.x { // a vertical line is sharp between whole pixels
		a.x = math.Floor(a.x) + 0.5
		b.x = a.x
	}
	return []point{a, b}
}

// polygon adds a flat area in space with its outline.
func (s *scene) polygon(outline []vector3, color, edge rgb, bias float64) {
	p := part{color: color, depth: math.Inf(-1), pen: stroke{width: 0.8, color: edge, closed: true}}
	for _, v := range outline {
		p.fill = append(p.fill, s.show(v))
		p.depth = max(p.depth, s.back.dot(v))
	}
	p.depth += bias
	p.lines = [][]point{p.fill}
	s.parts = append(s.parts, p)
}
