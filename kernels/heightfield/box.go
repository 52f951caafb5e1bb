package heightfield

import (
	"github.com/trackgen-go/trackgen/kernel"
	"github.com/trackgen-go/trackgen/kernels/centerline"
)

const (
	// LeafSegments is how many successive segments share one box.
	LeafSegments = 8
	// NodeLeaves is how many successive leaves share one box.
	NodeLeaves = 8

	nodeSegments = LeafSegments * NodeLeaves
)

// Leaves returns the number of leaves of a line of n points.
func Leaves(n int32) int32 { return (n + LeafSegments - 1) / LeafSegments }

// Nodes returns the number of nodes of a line of n points.
func Nodes(n int32) int32 { return (Leaves(n) + NodeLeaves - 1) / NodeLeaves }

// Box is an axis-aligned rectangle.
type Box struct{ Low, High kernel.Vec2 }

// around returns the smallest box that contains b and p.
func around(b Box, p kernel.Vec2) Box { return Union(b, Box{Low: p, High: p}) }

// Union returns the smallest box that contains b and c. Coordinates of c that are NaN do not count.
func Union(b, c Box) Box {
	return Box{
		Low:  kernel.V2(kernel.Min(c.Low.X, b.Low.X), kernel.Min(c.Low.Y, b.Low.Y)),
		High: kernel.V2(kernel.Max(c.High.X, b.High.X), kernel.Max(c.High.Y, b.High.Y)),
	}
}

// empty is a box that contains nothing. No coordinate of a track is as far from the origin as its corners.
func empty() Box {
	return Box{Low: kernel.V2(farAway, farAway), High: kernel.V2(-farAway, -farAway)}
}

const farAway = 1e30

// withSegment returns the smallest box that contains b and every point that pointAt computes on the segment from a to
// c.
func withSegment(b Box, a, c kernel.Vec2) Box { return around(around(b, a), pointAt(a, c.Sub(a), 1)) }

// pointAt returns the point at the part u of the way d from a.
func pointAt(a, d kernel.Vec2, u float32) kernel.Vec2 {
	return kernel.V2(a.X+float32(d.X*u), a.Y+float32(d.Y*u))
}

// squaredTo returns the squared distance of a point from a box, 0 inside. It is at most the squared distance, in
// float32, of the point from each point in the box.
func squaredTo(p, low, high kernel.Vec2) float32 {
	x := kernel.Max(kernel.Max(low.X-p.X, p.X-high.X), 0)
	y := kernel.Max(kernel.Max(low.Y-p.Y, p.Y-high.Y), 0)
	return float32(x*x) + float32(y*y)
}

// planOf returns a point in plan view.
func planOf(p kernel.Vec3) kernel.Vec2 { return kernel.V2(p.X, p.Y) }

// boxOf returns the box of the segments first to first+number-1 of the closed line point[base..base+n).
func boxOf(first, number, n, base int32, point []kernel.Vec3) Box {
	b := empty()
	for i := first; i < first+number && i < n; i++ {
		b = withSegment(b, planOf(point[base+i]), planOf(point[base+centerline.After(i, n)]))
	}
	return b
}

// roadOf returns the box of the road along the segments first to first+number-1 of a line.
func roadOf(first, number, n, base int32, outer, inner []kernel.Vec3) Box {
	return Union(boxOf(first, number, n, base, outer), boxOf(first, number, n, base, inner))
}
