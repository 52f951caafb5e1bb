package polyline

import "github.com/trackgen-go/trackgen/kernel"

// minSquared is the floor of the squared length that the part of a segment is divided by (C-80).
const minSquared = 1e-12

// Foot is the nearest point of a segment.
type Foot struct {
	Squared float32 // squared distance from it
	Part    float32 // where it is between the begin of the segment, 0, and its end, 1
	Segment int32
}

// FootOn returns the nearest point in space of segment i of a line (C-80).
func FootOn(p kernel.Vec3, i int32, l Line, index []kernel.Quat) Foot {
	a := Space(index[l.Base+i])
	d := Space(index[l.Base+i+1]).Sub(a)
	part := kernel.Max(p.Sub(a).Dot(d)/kernel.Max(d.Dot(d), minSquared), 0)
	if part > 1 {
		part = 1
	}
	away := p.Sub(kernel.V3(a.X+float32(d.X*part), a.Y+float32(d.Y*part), a.Z+float32(d.Z*part)))
	return Foot{Squared: away.Dot(away), Part: part, Segment: i}
}

// SquaredTo returns the squared distance in space of a point from the box of the node whose elements are first and
// second, 0 inside. With rounding to nearest, differences, products and sums are monotonic, and the box contains every
// foot that FootOn computes. So the result is not above the squared distance of a foot in the node.
func SquaredTo(p kernel.Vec3, first, second kernel.Quat) float32 {
	x := kernel.Max(kernel.Max(first.X-p.X, p.X-first.Z), 0)
	y := kernel.Max(kernel.Max(first.Y-p.Y, p.Y-first.W), 0)
	z := kernel.Max(kernel.Max(second.X-p.Z, p.Z-second.Y), 0)
	return kernel.V3(x, y, z).Dot(kernel.V3(x, y, z))
}

// Begin returns a segment that is probably near a point in space. It visits two nodes on each level of the tree.
func Begin(p kernel.Vec3, l Line, index []kernel.Quat) int32 {
	node := int32(0)
	second := index[l.Node(0)+1]
	for LeavesOf(second) > 1 {
		left := l.Node(node + 1)
		right := node + 2*((LeavesOf(second)+1)/2)
		s := index[left+1]
		t := index[l.Node(right)+1]
		node++
		second = s
		if SquaredTo(p, index[l.Node(right)], t) < SquaredTo(p, index[left], s) {
			node = right
			second = t
		}
	}
	return FirstLeaf(second) * LeafSegments
}

// Nearest returns the nearest point in space of a line of at least 3 points, on the first of the segments that are
// equally near (C-80). If no segment is nearer than the square root of Far, it returns segment 0, part 0. begin is a
// segment that is probably near, such as the last result or that of Begin. The result is the same for each; a good one
// spares visits.
func Nearest(p kernel.Vec3, begin int32, l Line, index []kernel.Quat) Foot {
	best := Foot{Squared: Far, Part: 0, Segment: 0}
	f := FootOn(p, begin, l, index)
	if f.Squared < best.Squared {
		best = f
	}
	nodes := l.Nodes()
	for node := int32(0); node < nodes; {
		at := l.Node(node)
		second := index[at+1]
		if SquaredTo(p, index[at], second) > best.Squared {
			node = Skip(node, second)
			continue
		}
		if LeavesOf(second) == 1 {
			end := l.EndOf(second)
			for i := FirstLeaf(second) * LeafSegments; i < end; i++ {
				f = FootOn(p, i, l, index)
				if f.Squared < best.Squared || (f.Squared == best.Squared && f.Squared < Far && i < best.Segment) {
					best = f
				}
			}
		}
		node++
	}
	return best
}
