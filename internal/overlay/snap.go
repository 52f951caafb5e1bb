package overlay

import (
	"cmp"
	"math/bits"
	"slices"
)

// snap returns edges that share nothing but nodes. Each edge is led through the nodes of the cells that it passes, if
// the cell contains a corner or a crossing of two edges.
func snap(edges []edge, work *budget) ([]edge, error) {
	nodes, err := hotNodes(edges, work)
	if err != nil {
		return nil, err
	}
	keys := make([]int64, len(nodes))
	for i, n := range nodes {
		keys[i] = sweepKey(n)
	}
	var fragments []edge
	var passed []node
	for _, e := range edges {
		low, high := sweepKeys(e)
		first, _ := slices.BinarySearch(keys, low-sweepCell)
		passed = passed[:0]
		i := first
		for ; i < len(nodes) && keys[i] <= high+sweepCell; i++ {
			if passes(e, nodes[i]) {
				passed = append(passed, nodes[i])
			}
		}
		if err := work.spend(i - first); err != nil {
			return nil, err
		}
		// An edge is monotonic in x and in y, so it passes cells in this order.
		down := e.to.y < e.from.y
		slices.SortFunc(passed, func(a, b node) int {
			if down {
				return cmp.Or(cmp.Compare(a.x, b.x), cmp.Compare(b.y, a.y))
			}
			return a.compare(b)
		})
		for k := 1; k < len(passed); k++ {
			fragments = append(fragments, newEdge(passed[k-1], passed[k], e.net))
		}
	}
	return merge(fragments), nil
}

// The sweep compares only edges that overlap on an axis. Hardly any straight of a road is perpendicular to this one.
const (
	sweepX, sweepY = 8, 5
	sweepCell      = (sweepX+sweepY)/2 + 1 // from a node to the farthest point of its cell on the axis
)

func sweepKey(n node) int64 { return sweepX*n.x + sweepY*n.y }

// sweepKeys returns the interval of an edge on the axis, from the smaller to the larger end.
func sweepKeys(e edge) (low, high int64) {
	a, b := sweepKey(e.from), sweepKey(e.to)
	return min(a, b), max(a, b)
}

// perCrossing is the cost of a crossing in comparisons: it adds a node and splits two edges.
const perCrossing = 16

// hotNodes returns the ends of the edges and the nodes nearest to their crossings, in order of sweep keys.
func hotNodes(edges []edge, work *budget) ([]node, error) {
	sorted := slices.Clone(edges)
	slices.SortStableFunc(sorted, func(a, b edge) int {
		lowA, _ := sweepKeys(a)
		lowB, _ := sweepKeys(b)
		return cmp.Compare(lowA, lowB)
	})
	lows := make([]int64, len(sorted))
	var nodes []node
	for i, e := range sorted {
		lows[i], _ = sweepKeys(e)
		nodes = append(nodes, e.from, e.to)
	}
	for i, e := range sorted {
		_, high := sweepKeys(e)
		k := i + 1
		for ; k < len(sorted) && lows[k] <= high; k++ {
			if n, meet := crossing(e, sorted[k]); meet {
				nodes = append(nodes, n)
				if err := work.spend(perCrossing); err != nil {
					return nil, err
				}
			}
		}
		if err := work.spend(k - i); err != nil {
			return nil, err
		}
	}
	slices.SortFunc(nodes, func(a, b node) int {
		return cmp.Or(cmp.Compare(sweepKey(a), sweepKey(b)), a.compare(b))
	})
	return slices.Compact(nodes), nil
}

// crossing returns the node nearest to the crossing of two edges. Edges that only touch do not cross, because the end
// where they touch is already a node.
func crossing(e, f edge) (node, bool) {
	if f.from.x > e.to.x || e.from.x > f.to.x || max(f.from.y, f.to.y) < min(e.from.y, e.to.y) ||
		max(e.from.y, e.to.y) < min(f.from.y, f.to.y) {
		return node{}, false
	}
	if !opposite(cross(f.from, f.to, e.from), cross(f.from, f.to, e.to)) {
		return node{}, false
	}
	from, to := cross(e.from, e.to, f.from), cross(e.from, e.to, f.to)
	if !opposite(from, to) {
		return node{}, false
	}
	// The crossing is at the fraction from/(from-to) of f.
	part, whole := magnitude(from), magnitude(from)+magnitude(to)
	n := node{x: f.from.x + portion(f.to.x-f.from.x, part, whole)}
	if f.to.y >= f.from.y {
		n.y = f.from.y + portion(f.to.y-f.from.y, part, whole)
	} else {
		n.y = f.to.y + portion(f.from.y-f.to.y, whole-part, whole)
	}
	return n, true
}

func opposite(a, b int64) bool { return a > 0 && b < 0 || a < 0 && b > 0 }

func magnitude(v int64) uint64 { return uint64(max(v, -v)) }

// portion returns length·part/whole, rounded to the nearest integer, with halves rounded up. part must be <= whole.
func portion(length int64, part, whole uint64) int64 {
	high, low := bits.Mul64(2*uint64(length), part)
	low, carry := bits.Add64(low, whole, 0)
	rounded, _ := bits.Div64(high+carry, low, 2*whole)
	return int64(rounded)
}

// passes reports whether an edge passes the cell of a node: a square with sides of one step around it, which includes
// its left and lower side but not its right and upper side.
func passes(e edge, n node) bool {
	if n.x < e.from.x || n.x > e.to.x || n.y < min(e.from.y, e.to.y) || n.y > max(e.from.y, e.to.y) {
		return false
	}
	if e.from.x == e.to.x || e.from.y == e.to.y {
		return true
	}
	// Corners of the cell are between nodes, hence half steps. A corner on the edge counts if the edge goes on into the
	// cell from there, and the lower left one always.
	from, to, middle := e.from.doubled(), e.to.doubled(), n.doubled()
	rising := to.y > from.y
	upperLeft := cross(from, to, node{middle.x - 1, middle.y + 1})
	upperRight := cross(from, to, node{middle.x + 1, middle.y + 1})
	lowerLeft := cross(from, to, node{middle.x - 1, middle.y - 1})
	lowerRight := cross(from, to, node{middle.x + 1, middle.y - 1})
	switch {
	case upperLeft == 0, lowerRight == 0:
		return !rising
	case upperRight == 0:
		return rising
	case lowerLeft == 0:
		return true
	}
	above := upperLeft > 0
	return upperRight > 0 != above || lowerLeft > 0 != above || lowerRight > 0 != above
}
