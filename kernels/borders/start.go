package borders

import (
	"github.com/trackgen-go/trackgen/kernel"
	"github.com/trackgen-go/trackgen/kernels/polyline"
)

// Where a search begins changes no bit of its answer. A place is the number of a segment in the order of the scan.

// isNear reports whether a box is still where the place of its last contact is a good begin. last is the distance of
// that contact.
func isNear(b Box, place int32, last float32, env, maxPoints int32, index []kernel.Quat) bool {
	if place < 0 || place >= Lines*maxPoints {
		return false
	}
	i := place % maxPoints
	l := polyline.LineOf(env, place/maxPoints, Lines, maxPoints, index)
	if i >= l.N {
		return false
	}
	near := kernel.Abs(last) + float32(2*(b.reach.X+b.reach.Y))
	return squaredFrom(b.Center, i, l, index) < float32(near*near)
}

// startOf returns the place of a segment that is probably near a point: the nearer of two beside the point, one of each
// border.
func startOf(b Box, env, maxPoints int32, index []kernel.Quat) int32 {
	p := b.Center
	inner := polyline.LineOf(env, Inner, Lines, maxPoints, index)
	outer := polyline.LineOf(env, Outer, Lines, maxPoints, index)
	i := along(p, along(p, begin(p, inner, index), inner, index), inner, index)
	j := along(p, along(p, i, outer, index), outer, index)
	if squaredFrom(p, j, outer, index) < squaredFrom(p, i, inner, index) {
		return maxPoints + along(cornerTo(b, j, outer, index), j, outer, index)
	}
	return along(cornerTo(b, i, inner, index), i, inner, index)
}

// cornerTo returns the corner of a box that is nearest to the point of segment i that is nearest to its centre.
func cornerTo(b Box, i int32, l polyline.Line, index []kernel.Quat) kernel.Vec2 {
	foot := near(b.Center, courseOf(polyline.Plan(index[l.Base+i]), polyline.Plan(index[l.Base+i+1])))
	least := squaredBetween(b.corners.c0, foot)
	corner := b.corners.c0
	for k := int32(1); k < 4; k++ {
		c := b.corner(k)
		if squared := squaredBetween(c, foot); squared < least {
			least = squared
			corner = c
		}
	}
	return corner
}

// begin returns a segment that is probably near a point: at each level of the tree, it goes to the node that is nearer.
// It ends at
// a small part of the line, in the middle of which the segment is.
func begin(p kernel.Vec2, l polyline.Line, index []kernel.Quat) int32 {
	node := int32(0)
	second := index[l.Node(0)+1]
	most := max(polyline.LeavesOf(second)/32, 1)
	for polyline.LeavesOf(second) > most {
		other := node + 2*((polyline.LeavesOf(second)+1)/2)
		node++
		if squaredToNode(p, index[l.Node(other)]) < squaredToNode(p, index[l.Node(node)]) {
			node = other
		}
		second = index[l.Node(node)+1]
	}
	return (polyline.FirstLeaf(second)*polyline.LeafSegments + l.EndOf(second)) / 2
}

// mostSteps is how many segments along goes at most.
const mostSteps = 64

// along returns the segment beside a point if the border were straight there, with segments as long as segment i. It
// needs no loop, and one or two of its results in turn are near also where the border bends.
func along(p kernel.Vec2, i int32, l polyline.Line, index []kernel.Quat) int32 {
	c := courseOf(polyline.Plan(index[l.Base+i]), polyline.Plan(index[l.Base+i+1]))
	steps := kernel.Floor(p.Sub(c.from).Dot(c.way) / c.squared)
	if !(kernel.Abs(steps) <= mostSteps) {
		return i
	}
	next := i + kernel.ToInt32(steps)
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
