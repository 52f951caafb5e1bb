package polyline

import "github.com/trackgen-go/trackgen/kernel"

const (
	// LeafSegments is how many successive segments share a leaf.
	LeafSegments = 6

	// leafElements is how many elements a leaf has before the nodes: its bounds, and two of its note.
	leafElements = 3

	// Limit is the largest magnitude of a coordinate for which the boxes of segments hold.
	Limit = 1 << 50

	// Far is larger than every distance, or squared distance, that counts (C-3).
	Far = 1e30
)

// Leaves returns the number of leaves of a line of n points.
func Leaves(n int32) int32 { return (n + LeafSegments - 1) / LeafSegments }

// Nodes returns the number of nodes, leaves included, of a line of n points. n is at least 1.
func Nodes(n int32) int32 { return 2*Leaves(n) - 1 }

// Size returns the number of elements of one line in the index, for lines of at most maxPoints points.
func Size(maxPoints int32) int32 {
	return maxPoints + 2 + leafElements*Leaves(maxPoints) + 2*Nodes(maxPoints)
}

// Line is one closed line of an index.
type Line struct {
	Base int32 // element of its first point
	N    int32 // number of points, which is also that of segments
	Leaf int32 // element of the bounds of its first leaf
	Tree int32 // element of its first node
}

// LineOf returns line number line of an env, of which the index says how many points it has. It has none if the index
// was made of fewer than 3.
func LineOf(env, line, lines, maxPoints int32, index []kernel.Quat) Line {
	base := (env*lines+line)*Size(maxPoints) + 1
	return lineAt(base, Decoded(index[base-1].X), maxPoints)
}

// lineToBe returns the line of which an index is to be made. Of the count of points, at most maxPoints are there, and
// fewer than 3 make no line (C-4).
func lineToBe(env, line, lines, maxPoints int32, count []int32) Line {
	n := count[env]
	if n > maxPoints {
		n = maxPoints
	}
	if n < 3 {
		n = 0
	}
	base := (env*lines+line)*Size(maxPoints) + 1
	return lineAt(base, n, maxPoints)
}

// lineAt returns a line of n points, of which the first one is element base.
func lineAt(base, n, maxPoints int32) Line {
	leaf := base + maxPoints + 1
	return Line{Base: base, N: n, Leaf: leaf, Tree: leaf + leafElements*Leaves(maxPoints)}
}

// Nodes returns the number of nodes.
func (l Line) Nodes() int32 { return Nodes(l.N) }

// First returns a node from which a search meets all segments: the first child of the root, or the root if it is a
// leaf. The box of the root seldom lets a search pass over anything.
func (l Line) First() int32 {
	if l.N > LeafSegments {
		return 1
	}
	return 0
}

// Node returns the element of the first of the two elements of node i.
func (l Line) Node(i int32) int32 { return l.Tree + 2*i }

// Note returns the first of the two elements of the note of a leaf.
func (l Line) Note(leaf int32) int32 { return l.Leaf + (l.Tree-l.Leaf)/leafElements + 2*leaf }

// Extent returns the largest magnitude of a coordinate of the boxes of a line in plan view.
func (l Line) Extent(index []kernel.Quat) float32 { return index[l.Base-1].Y }

// Plan returns a point in plan view.
func Plan(p kernel.Quat) kernel.Vec2 { return kernel.V2(p.X, p.Y) }

// Space returns a point in space.
func Space(p kernel.Quat) kernel.Vec3 { return kernel.V3(p.X, p.Y, p.Z) }

// FirstLeaf returns the number of the first leaf of a node, of which second is the second element. Its first segment is
// LeafSegments times that.
func FirstLeaf(second kernel.Quat) int32 { return Decoded(second.Z) }

// LeavesOf returns the number of leaves of a node, of which second is the second element. A leaf has 1.
func LeavesOf(second kernel.Quat) int32 { return Decoded(second.W) }

// Skip returns the node after the subtree of node i, of which second is the second element.
func Skip(i int32, second kernel.Quat) int32 { return i + 2*Decoded(second.W) - 1 }

// EndOf returns the segment after the last one of a node, of which second is the second element.
func (l Line) EndOf(second kernel.Quat) int32 {
	end := (Decoded(second.Z) + Decoded(second.W)) * LeafSegments
	if end > l.N {
		end = l.N
	}
	return end
}

const (
	codeBits  = 0x3f800000 // of 1
	codeValue = 0x007fffff // mantissa
)

// Coded returns a number from 1 to 2 with an integer below 2^23 in its mantissa. Unlike a denormal number, every device
// keeps it, and it is read without a conversion.
func Coded(i int32) float32 { return kernel.Float32FromBits(codeBits | uint32(i)&codeValue) }

// Decoded returns the integer in a number that Coded made.
func Decoded(x float32) int32 { return int32(kernel.Float32Bits(x) & codeValue) }
