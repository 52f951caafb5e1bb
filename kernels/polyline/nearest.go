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
// foot that FootOn computes. So the result is not above the squared distance of a foot in the node. It may be NaN for a
// point that is not finite.
func SquaredTo(p kernel.Vec3, first, second kernel.Quat) float32 {
	// At most one of the two sides of an axis is above 0, so the sum is exact.
	x := above0(first.X-p.X) + above0(p.X-first.Z)
	y := above0(first.Y-p.Y) + above0(p.Y-first.W)
	z := above0(second.X-p.Z) + above0(p.Z-second.Y)
	return kernel.V3(x, y, z).Dot(kernel.V3(x, y, z))
}

// above0 returns x, or 0 if the sign bit of x is set. On a processor, a comparison would be a jump that it often cannot
// foresee.
func above0(x float32) float32 {
	bits := int32(kernel.Float32Bits(x))
	return kernel.Float32FromBits(uint32(bits &^ (bits >> 31)))
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

// mostSteps is how many segments Beside goes at most.
const mostSteps = 64

// Beside returns the segment beside a point in space if the line were straight at segment i, with segments as long as
// that: a begin for Nearest where the point has moved along the line. It visits one segment, and its result is a
// segment of the line for each i that is one.
func Beside(p kernel.Vec3, i int32, l Line, index []kernel.Quat) int32 {
	a := Space(index[l.Base+i])
	d := Space(index[l.Base+i+1]).Sub(a)
	steps := p.Sub(a).Dot(d) / d.Dot(d)
	if !(kernel.Abs(steps) <= mostSteps) {
		return i
	}
	next := i + kernel.ToInt32(steps+mostSteps) - mostSteps // a conversion rounds towards 0
	if next < 0 {
		next += l.N
	}
	if next >= l.N {
		next -= l.N
	}
	if next < 0 || next >= l.N {
		return i
	}
	return next
}

// Nearest returns the nearest point in space of a line of at least 3 points, on the first of the segments that are
// equally near (C-80). If no segment is nearer than the square root of Far, it returns segment 0, part 0. begin is a
// segment that is probably near, such as the last result or that of Begin. The result is the same for each; a good one
// spares visits. The notes of the line are those of kernel separate, or 0.
//
// The search looks at the leaf of begin first. What is nearer than the foot there is less than twice as far from that
// foot. So if the leaves that are more than a few away along the line are farther from the leaf, only those few remain.
// Else the search looks, on the way from the root to the leaf, at what is beside the way.
func Nearest(p kernel.Vec3, begin int32, l Line, index []kernel.Quat) Foot {
	leaf := begin / LeafSegments
	best := nearer(p, leaf*LeafSegments, Foot{Squared: Far, Part: 0, Segment: 0}, l, index)
	note := index[l.Note(leaf)]
	if best.Squared < note.W {
		return nearestAround(p, leaf, awayOf(best.Squared, note), best, l, index)
	}
	return nearestBeside(p, leaf, best, l, index)
}

// awayOf returns how many leaves on each side of a leaf a search looks at, given its note and the squared distance of
// the nearest point on it, which is less than W of the note.
func awayOf(squared float32, note kernel.Quat) int32 {
	away := int32(1)
	if squared >= note.X {
		away = 2
	}
	if squared >= note.Y {
		away = 4
	}
	if squared >= note.Z {
		away = mostAway
	}
	return away
}

// nearestAround returns best, or the nearest point on the leaves up to away leaves from a leaf, if it is nearer or as
// near and on an earlier segment. There are at least as many leaves as away.
func nearestAround(p kernel.Vec3, leaf, away int32, best Foot, l Line, index []kernel.Quat) Foot {
	leaves := Leaves(l.N)
	up := leaf
	down := leaf
	slack := slackOf(p)
	for ; away > 0; away-- {
		up = after(up, leaves)
		if !(squaredPlan(p, index[l.Leaf+up]) > best.Squared) && !isBeyond(p, up, best.Squared, slack, l, index) {
			best = nearer(p, up*LeafSegments, best, l, index)
		}
		down = before(down, leaves)
		if !(squaredPlan(p, index[l.Leaf+down]) > best.Squared) && !isBeyond(p, down, best.Squared, slack, l, index) {
			best = nearer(p, down*LeafSegments, best, l, index)
		}
	}
	return best
}

// slackOf returns what the coordinates of a point add to the rounding of its distance from a segment: see the package.
func slackOf(p kernel.Vec3) float32 {
	return float32(2 * growth * (kernel.Abs(p.X) + kernel.Abs(p.Y) + kernel.Abs(p.Z)))
}

// isBeyond reports whether a point is farther from all segments of a leaf than the root of squared: the chord of the
// leaf is, by more than the bend in the note of the leaf and slack. It is not known for numbers that are not finite.
func isBeyond(p kernel.Vec3, leaf int32, squared, slack float32, l Line, index []kernel.Quat) bool {
	a := Space(index[l.Base+leaf*LeafSegments])
	e := Space(index[l.Base+min(leaf*LeafSegments+LeafSegments, l.N)])
	reach := kernel.Sqrt(squared) + index[l.Note(leaf)+1].X + slack
	return squaredFrom(p, a, e) > float32(reach*reach)
}

// squaredFrom returns the squared distance of a point from the segment from a to e. Unlike FootOn, it has no floor,
// below which a foot is not the nearest point of a segment.
func squaredFrom(p, a, e kernel.Vec3) float32 {
	d := e.Sub(a)
	part := kernel.Max(p.Sub(a).Dot(d)/d.Dot(d), 0) // 0 for a segment without length
	if part > 1 {
		part = 1
	}
	away := p.Sub(kernel.V3(a.X+float32(d.X*part), a.Y+float32(d.Y*part), a.Z+float32(d.Z*part)))
	return away.Dot(away)
}

// squaredPlan returns the squared distance in plan view of a point from a box, 0 inside. It is not above SquaredTo.
func squaredPlan(p kernel.Vec3, box kernel.Quat) float32 {
	x := above0(box.X-p.X) + above0(p.X-box.Z)
	y := above0(box.Y-p.Y) + above0(p.Y-box.W)
	return float32(x*x) + float32(y*y)
}

// nearestBeside returns best, or the nearest point on all leaves but one, if it is nearer or as near and on an earlier
// segment.
func nearestBeside(p kernel.Vec3, leaf int32, best Foot, l Line, index []kernel.Quat) Foot {
	node := int32(0)
	from := int32(0) // first leaf of the node
	leaves := Leaves(l.N)
	for leaves > 1 {
		first := (leaves + 1) / 2
		second := node + 2*first
		if leaf < from+first {
			best = nearestBelow(p, second, node+2*leaves-1, best, l, index)
			node++
			leaves = first
		} else {
			best = nearestBelow(p, node+1, second, best, l, index)
			node = second
			from += first
			leaves -= first
		}
	}
	return best
}

// nearestBelow returns best, or the nearest point on the segments below the nodes from low to high-1, if it is nearer
// or as near and on an earlier segment. The nodes are those of a subtree.
func nearestBelow(p kernel.Vec3, low, high int32, best Foot, l Line, index []kernel.Quat) Foot {
	for node := low; node < high; {
		at := l.Node(node)
		second := index[at+1]
		if SquaredTo(p, index[at], second) > best.Squared {
			node = Skip(node, second)
			continue
		}
		if LeavesOf(second) == 1 {
			best = nearer(p, FirstLeaf(second)*LeafSegments, best, l, index)
		}
		node++
	}
	return best
}

// nearer returns best, or the nearest point on the segments of a leaf, which begins with segment first, if it is nearer
// or as near and on an earlier segment. It has the operations of FootOn, without a call and with one point for each
// segment.
func nearer(p kernel.Vec3, first int32, best Foot, l Line, index []kernel.Quat) Foot {
	a := Space(index[l.Base+first])
	for i := first; i < first+LeafSegments && i < l.N; i++ {
		e := Space(index[l.Base+i+1])
		d := e.Sub(a)
		part := kernel.Max(p.Sub(a).Dot(d)/kernel.Max(d.Dot(d), minSquared), 0)
		if part > 1 {
			part = 1
		}
		away := p.Sub(kernel.V3(a.X+float32(d.X*part), a.Y+float32(d.Y*part), a.Z+float32(d.Z*part)))
		squared := away.Dot(away)
		if squared < best.Squared || (squared == best.Squared && squared < Far && i < best.Segment) {
			best = Foot{Squared: squared, Part: part, Segment: i}
		}
		a = e
	}
	return best
}
