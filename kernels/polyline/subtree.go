package polyline

// Subtree is a node of the tree of a line, of which Count leaves from leaf First on are below it. A search that begins
// with Whole and goes to children knows what is below a node without reading it.
type Subtree struct{ Node, First, Count int32 }

// Whole returns the root.
func (l Line) Whole() Subtree { return Subtree{Node: 0, First: 0, Count: Leaves(l.N)} }

// Left returns the first child of a subtree of more than one leaf.
func (s Subtree) Left() Subtree {
	return Subtree{Node: s.Node + 1, First: s.First, Count: (s.Count + 1) / 2}
}

// Right returns the second child of a subtree of more than one leaf.
func (s Subtree) Right() Subtree {
	n := (s.Count + 1) / 2
	return Subtree{Node: s.Node + 2*n, First: s.First + n, Count: s.Count - n}
}
