package polyline

import "github.com/trackgen-go/trackgen/kernel"

const (
	// separated makes the square of half a distance of that of the whole, and a little smaller, by more than the rounding
	// of the squares that are compared with it.
	separated = 0.25 * (1 - 1.0/(1<<14))

	// leastSeparated is the square below which leaves count as not separated: far above denormal numbers.
	leastSeparated = 1e-30

	// mostAway is how many leaves away the last of the separations begins.
	mostAway = 8
)

// separation is how far other leaves are from a leaf: one is the squared distance of its box in plan view from those of
// the leaves that are more than one leaf away along the line, two that of those more than two away, and so on. It is
// infinite where there are no such leaves.
type separation struct{ one, two, four, eight float32 }

// with returns s and a leaf at a squared distance, so many leaves away.
func (s separation) with(away int32, squared float32) separation {
	if away > 1 {
		s.one = kernel.Min(squared, s.one)
	}
	if away > 2 {
		s.two = kernel.Min(squared, s.two)
	}
	if away > 4 {
		s.four = kernel.Min(squared, s.four)
	}
	if away > mostAway {
		s.eight = kernel.Min(squared, s.eight)
	}
	return s
}

// squaredBetween returns the squared distance in plan view of two boxes, 0 if they meet.
func squaredBetween(a, b kernel.Quat) float32 {
	x := above0(a.X-b.Z) + above0(b.X-a.Z)
	y := above0(a.Y-b.W) + above0(b.Y-a.W)
	return float32(x*x) + float32(y*y)
}

// separationOf returns the separation of a leaf. The leaves up to a little more than eight away come first: they bound
// what is looked for, so that most nodes are passed over.
func separationOf(leaf int32, l Line, index []kernel.Quat) separation {
	leaves := Leaves(l.N)
	far := kernel.Inf()
	s := separation{one: far, two: far, four: far, eight: far}
	box := index[l.Leaf+leaf]
	up := leaf
	down := leaf
	for away := int32(1); away <= mostAway+1 && 2*away <= leaves; away++ {
		up = after(up, leaves)
		down = before(down, leaves)
		if away > 1 {
			squared := kernel.Min(squaredBetween(box, index[l.Leaf+up]), squaredBetween(box, index[l.Leaf+down]))
			s = s.with(away, squared)
		}
	}
	nodes := l.Nodes()
	for node := l.First(); node < nodes; {
		at := l.Node(node)
		second := index[at+1]
		first := FirstLeaf(second)
		known := first >= leaf-mostAway-1 && first+LeavesOf(second) <= leaf+mostAway+2
		squared := squaredBetween(box, index[at])
		if known || squared >= s.eight {
			node = Skip(node, second)
			continue
		}
		if LeavesOf(second) == 1 {
			away := max(first-leaf, leaf-first)
			s = s.with(min(away, leaves-away), squared)
		}
		node++
	}
	return s
}

// after returns the leaf after another one, of so many leaves.
func after(leaf, leaves int32) int32 {
	if leaf+1 < leaves {
		return leaf + 1
	}
	return 0
}

// before returns the leaf before another one, of so many leaves.
func before(leaf, leaves int32) int32 {
	if leaf > 0 {
		return leaf - 1
	}
	return leaves - 1
}

// noteOf returns a squared distance as a note has it.
func noteOf(squared float32) float32 {
	if !(squared >= leastSeparated) {
		return 0
	}
	return float32(squared * separated)
}

// bendOf returns how far the points of a leaf are from its chord, the segment from its first point to its last, and so
// how far its segments are, with what rounding adds: see the package.
func bendOf(leaf int32, l Line, index []kernel.Quat) float32 {
	begin := leaf * LeafSegments
	end := min(begin+LeafSegments, l.N)
	a := Space(index[l.Base+begin])
	e := Space(index[l.Base+end])
	squared := float32(0)
	size := float32(0)
	for i := begin; i <= end; i++ {
		p := Space(index[l.Base+i])
		squared = kernel.Max(squaredFrom(p, a, e), squared)
		size = kernel.Max(kernel.Max(kernel.Abs(p.X), kernel.Abs(p.Y)), kernel.Max(kernel.Abs(p.Z), size))
	}
	if !(size <= Limit) {
		return kernel.Inf()
	}
	return kernel.Sqrt(squared) + float32(4*growth*size) + minGrowth
}

// separate writes to the notes of one line of the active envs how far other leaves are from each leaf. X is the square
// of half the distance from those more than one leaf away, Y that from those more than two away, Z more than four and W
// more than eight; all a little less. They spare Nearest the way through the tree. X of the second element is how far
// the segments of the leaf are from its chord: it spares Nearest the segments of most leaves beside. It follows build.
// kernelgen cannot prove that notes are neither bounds nor nodes.
//
//kernel:group lanes=64
//kernel:unproven
//kernel:iterations separateIterations(maxPoints, lanes)
func separate(g kernel.Group, active []int32, maxPoints, lines, line int32, index []kernel.Quat) {
	if g.ID >= active[0] {
		return
	}
	l := LineOf(active[g.ID+1], line, lines, maxPoints, index)
	for leaf := range g.Each(Leaves(l.N)) {
		s := separationOf(leaf, l, index)
		index[l.Note(leaf)] = kernel.Quat{X: noteOf(s.one), Y: noteOf(s.two), Z: noteOf(s.four), W: noteOf(s.eight)}
		index[l.Note(leaf)+1] = kernel.Quat{X: bendOf(leaf, l, index), Y: 0, Z: 0, W: 0}
	}
}
