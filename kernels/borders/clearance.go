package borders

import (
	"github.com/trackgen-go/trackgen/kernel"
	"github.com/trackgen-go/trackgen/kernels/polyline"
)

// across is a direction, the begin of a leaf, and the interval of the leaf along the direction from there.
type across struct {
	from, normal kernel.Vec2
	low, high    float32
}

// acrossOf returns the normal of the way from the begin of a leaf to its end. It is 0 if that way has no direction.
func acrossOf(leaf int32, l polyline.Line, index []kernel.Quat) across {
	begin := leaf * polyline.LeafSegments
	end := min(begin+polyline.LeafSegments, l.N)
	from := polyline.Plan(index[l.Base+begin])
	way := polyline.Plan(index[l.Base+end]).Sub(from)
	length := way.Len()
	normal := kernel.V2(0, 0)
	if length > 0 {
		normal = kernel.V2(-way.Y/length, way.X/length)
	}
	a := across{from: from, normal: normal, low: 0, high: 0}
	return a.with(begin, end, l, index)
}

// with returns a with an interval that holds the points from begin to end of a line also.
func (a across) with(begin, end int32, l polyline.Line, index []kernel.Quat) across {
	for i := begin; i <= end; i++ {
		at := polyline.Plan(index[l.Base+i]).Sub(a.from).Dot(a.normal)
		a.low = kernel.Min(at, a.low)
		a.high = kernel.Max(at, a.high)
	}
	return a
}

// gapTo returns the distance along the direction of a from its interval to a leaf of a line, 0 if they meet.
func (a across) gapTo(leaf int32, l polyline.Line, index []kernel.Quat) float32 {
	begin := leaf * polyline.LeafSegments
	at := polyline.Plan(index[l.Base+begin]).Sub(a.from).Dot(a.normal)
	other := across{from: a.from, normal: a.normal, low: at, high: at}
	other = other.with(begin, min(begin+polyline.LeafSegments, l.N), l, index)
	return kernel.Max(kernel.Max(other.low-a.high, a.low-other.high), 0)
}

// boundsApart returns the distance of two bounds, 0 if they meet.
func boundsApart(a, b kernel.Quat) float32 {
	x := kernel.Max(kernel.Max(a.X-b.Z, b.X-a.Z), 0)
	y := kernel.Max(kernel.Max(a.Y-b.W, b.Y-a.W), 0)
	return kernel.V2(x, y).Len()
}

// longestClear is how long a leaf is at most for its clearance to be looked for, in widths of the road. A longer leaf
// is near the other border somewhere, so that few boxes would be clear.
const longestClear = 2

// clearanceOf returns the distance of a leaf of a border from the other border, or less. It is negative if the leaf is
// inside the other border, and 0 if they may meet: see the package. It is also 0, so that no box is clear, if the leaf
// is long for a road of a width.
//
// The bounds of two leaves often overlap where the road is narrow and oblique. The normal of the leaf, along which the
// borders are most apart, then keeps them apart.
func clearanceOf(leaf int32, width float32, l, other polyline.Line, index []kernel.Quat) float32 {
	bounds := index[l.Leaf+leaf]
	if kernel.V2(bounds.Z-bounds.X, bounds.W-bounds.Y).Len() > float32(longestClear*width) {
		return 0
	}
	a := acrossOf(leaf, l, index)
	least := kernel.Max(boundsApart(bounds, index[other.Leaf+leaf]), a.gapTo(leaf, other, index))
	nodes := other.Nodes()
	for node := other.First(); node < nodes; {
		at := other.Node(node)
		second := index[at+1]
		apart := boundsApart(bounds, index[at])
		if apart >= least {
			node = polyline.Skip(node, second)
			continue
		}
		if polyline.LeavesOf(second) == 1 {
			least = kernel.Min(kernel.Max(apart, a.gapTo(polyline.FirstLeaf(second), other, index)), least)
		}
		node++
	}
	if isInside(a.from, other, index) {
		least = -least
	}
	return least
}

// isInside reports whether a ray from p crosses a border an odd number of times.
func isInside(p kernel.Vec2, l polyline.Line, index []kernel.Quat) bool {
	odd := false
	nodes := l.Nodes()
	for node := l.First(); node < nodes; {
		at := l.Node(node)
		bounds := index[at]
		second := index[at+1]
		from := polyline.FirstLeaf(second) * polyline.LeafSegments
		end := l.EndOf(second)
		if bounds.X > p.X {
			odd = odd != parts(p.Y, index[l.Base+from].Y, index[l.Base+end].Y)
		}
		if bounds.X > p.X || bounds.Z < p.X || bounds.Y > p.Y || bounds.W < p.Y {
			node = polyline.Skip(node, second)
			continue
		}
		if polyline.LeavesOf(second) == 1 {
			for i := from; i < end; i++ {
				odd = odd != ray(p, polyline.Plan(index[l.Base+i]), polyline.Plan(index[l.Base+i+1]))
			}
		}
		node++
	}
	return odd
}

// isClear reports whether the other border is farther from a box than the nearest segment of one border, at a distance,
// and has the whole box on one side: see the package. clearance is that of the leaf of the segment. Nothing is clear
// if a number is not finite.
func isClear(b Box, distance, clearance, slack float32) bool {
	return kernel.Abs(clearance) > 2*(distance+b.reach.Len()+slack+slack)
}
