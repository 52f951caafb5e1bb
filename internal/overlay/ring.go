package overlay

import (
	"cmp"
	"slices"
)

// outline returns the border of the region: the fragments with triangles on one side only, directed with the region on
// their left.
func outline(fragments []edge, work *budget) ([][2]node, error) {
	// A vertical ray starts at the middle of each fragment. The number of triangles that cover a place is minus the sum
	// of net over the fragments above it. The middles are visited from left to right.
	order := make([]int, len(fragments))
	for i := range order {
		order[i] = i
	}
	middle := func(i int) node {
		from, to := fragments[i].from, fragments[i].to
		return node{from.x + to.x, from.y + to.y} // in half steps
	}
	slices.SortFunc(order, func(a, b int) int { return middle(a).compare(middle(b)) })
	var border [][2]node
	var near []edge // in half steps: fragments that start at or left of the place, and may reach it
	next := 0
	for _, i := range order {
		at := middle(i)
		for ; next < len(fragments) && fragments[next].from.doubled().compare(at) <= 0; next++ {
			f := fragments[next]
			near = append(near, edge{f.from.doubled(), f.to.doubled(), f.net})
		}
		if err := work.spend(len(near) + 1); err != nil {
			return nil, err
		}
		above := 0
		kept := near[:0]
		for _, f := range near {
			if f.to.compare(at) <= 0 {
				continue // it ends left of this place and all later ones
			}
			kept = append(kept, f)
			if cross(f.from, f.to, at) < 0 {
				above -= f.net
			}
		}
		near = kept
		f := fragments[i]
		switch below := above - f.net; {
		case above > 0 && below <= 0:
			border = append(border, [2]node{f.from, f.to})
		case above <= 0 && below > 0:
			border = append(border, [2]node{f.to, f.from})
		}
	}
	return border, nil
}

// rings joins the lines of a border into rings that do not touch themselves.
func rings(border [][2]node) [][]node {
	slices.SortFunc(border, func(a, b [2]node) int { return cmp.Or(a[0].compare(b[0]), a[1].compare(b[1])) })
	used := make([]bool, len(border))
	var list [][]node
	for start := range border {
		if used[start] {
			continue
		}
		var walk []node
		for i := start; !used[i]; i = following(border, i) {
			used[i] = true
			walk = append(walk, border[i][0])
		}
		list = append(list, split(walk)...)
	}
	return list
}

// following returns the line after line i on the border of the same part of the region: of all lines that begin where
// line i ends, the first one clockwise from line i.
func following(border [][2]node, i int) int {
	back, at := border[i][0], border[i][1]
	best, _ := slices.BinarySearchFunc(border, at, func(line [2]node, n node) int { return line[0].compare(n) })
	for k := best + 1; k < len(border) && border[k][0] == at; k++ {
		if clockwise(at, back, border[k][1], border[best][1]) {
			best = k
		}
	}
	return best
}

// clockwise reports whether a ray that turns clockwise around a node, from the direction of back, meets a before b.
func clockwise(about, back, a, b node) bool {
	half := func(n node) int { return cmp.Compare(cross(about, back, n), 0) } // -1 in the first half of the turn
	if ha, hb := half(a), half(b); ha != hb {
		return ha < hb
	}
	return cross(about, a, b) < 0
}

// split cuts a closed walk where it visits a node again.
func split(walk []node) (list [][]node) {
	place := map[node]int{}
	var open []node
	for _, n := range walk {
		if at, again := place[n]; again {
			list = append(list, slices.Clone(open[at:]))
			for _, gone := range open[at:] {
				delete(place, gone)
			}
			open = open[:at]
		}
		place[n] = len(open)
		open = append(open, n)
	}
	return append(list, open)
}

// area returns twice the area of a ring, > 0 if it is counter-clockwise. Partial sums may wrap around; the result fits.
func area(ring []node) (sum int64) {
	for i, a := range ring {
		b := ring[(i+1)%len(ring)]
		sum += a.x*b.y - b.x*a.y
	}
	return sum
}

// assemble makes polygons from rings. Each clockwise ring is a hole of the smallest ring around it.
func assemble(g grid, list [][]node, work *budget) ([]Polygon, error) {
	var shells [][]node
	var areas []int64
	for _, ring := range list {
		if a := area(ring); a > 0 {
			shells, areas = append(shells, ring), append(areas, a)
		}
	}
	polygons := make([]Polygon, len(shells))
	for i, shell := range shells {
		polygons[i].Exterior = g.points(shell)
	}
	for _, ring := range list {
		if area(ring) > 0 {
			continue
		}
		// The middle of a line of a hole is on no other ring.
		middle := node{ring[0].x + ring[1].x, ring[0].y + ring[1].y}
		around := -1
		for i, shell := range shells {
			if err := work.spend(len(shell)); err != nil {
				return nil, err
			}
			if (around < 0 || areas[i] < areas[around]) && inside(shell, middle) {
				around = i
			}
		}
		if around >= 0 {
			polygons[around].Holes = append(polygons[around].Holes, g.points(ring))
		}
	}
	return polygons, nil
}

// inside reports whether a place, in half steps, is inside a ring and not on it.
func inside(ring []node, at node) bool {
	in := false
	for i, from := range ring {
		e := newEdge(from.doubled(), ring[(i+1)%len(ring)].doubled(), 1)
		if e.from.compare(at) <= 0 && at.compare(e.to) < 0 && cross(e.from, e.to, at) < 0 {
			in = !in
		}
	}
	return in
}

func (g grid) points(ring []node) []Point {
	points := make([]Point, len(ring))
	for i, n := range ring {
		points[i] = g.point(n)
	}
	return points
}
