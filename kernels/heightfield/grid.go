package heightfield

import "github.com/trackgen-go/trackgen/kernel"

// gridParts is how many items share the search for the corners of a grid.
const gridParts = 64

// defaultPadding is the padding of a grid without one, as a fraction of the larger side of the track.
const defaultPadding = 0.1

// grid computes the corners of the grid of every env, and the boxes of its lines. The grid is the bounding box of outer
// in plan view, larger by padding on each side. A padding of 0 stands for a tenth of the larger side of the box. A
// track of fewer than 3 points has the grid from -1 to 1 (C-20). low and high are [E].
//
// The boxes of an env begin at its index times the number of leaves and nodes that maxPoints points have; the nodes
// follow the leaves. center has the boxes of the centreline. With borders 1, roadLow and roadHigh have those of the
// road between outer and inner; else they are not written.
//
// One group is one env. All arrays of points have the stride maxPoints.
//
//kernel:group lanes=64
//kernel:iterations gridIterations(maxPoints, lanes)
func grid(g kernel.Group, active []int32, maxPoints, borders int32, padding float32,
	outer, center, inner []kernel.Vec3, count []int32, low, high []kernel.Vec2,
	boxLow, boxHigh, roadLow, roadHigh []kernel.Vec2) {
	if g.ID >= active[0] {
		return
	}
	env := active[g.ID+1]
	base := env * maxPoints
	n := count[env]
	if n > maxPoints {
		n = maxPoints
	}
	leaves := Leaves(maxPoints)
	first := env * (leaves + Nodes(maxPoints))
	var part [gridParts]Box
	for k := range g.Each(gridParts) {
		part[k] = Around(k, gridParts, n, base, outer)
	}
	for range g.Each(1) {
		b := empty()
		for k := int32(0); k < gridParts; k++ {
			b = Union(b, part[k])
		}
		b = GridOf(b, n, padding)
		low[env] = b.Low
		high[env] = b.High
	}
	for leaf := range g.Each(Leaves(n)) {
		b := boxOf(leaf*LeafSegments, LeafSegments, n, base, center)
		boxLow[first+leaf] = b.Low
		boxHigh[first+leaf] = b.High
		if borders != 0 {
			road := roadOf(leaf*LeafSegments, LeafSegments, n, base, outer, inner)
			roadLow[first+leaf] = road.Low
			roadHigh[first+leaf] = road.High
		}
	}
	for node := range g.Each(Nodes(n)) {
		b := boxOf(node*nodeSegments, nodeSegments, n, base, center)
		boxLow[first+leaves+node] = b.Low
		boxHigh[first+leaves+node] = b.High
		if borders != 0 {
			road := roadOf(node*nodeSegments, nodeSegments, n, base, outer, inner)
			roadLow[first+leaves+node] = road.Low
			roadHigh[first+leaves+node] = road.High
		}
	}
}

// MiddleOf returns the middle of a cell of a grid of side*side cells.
func MiddleOf(x, y, side int32, low, high kernel.Vec2) kernel.Vec2 {
	return kernel.V2(
		low.X+float32(float32((float32(x)+0.5)/float32(side))*(high.X-low.X)),
		low.Y+float32(float32((float32(y)+0.5)/float32(side))*(high.Y-low.Y)))
}

// Around returns the box of every step-th point of the line point[base..base+n) in plan view, from its point first on.
func Around(first, step, n, base int32, point []kernel.Vec3) Box {
	b := empty()
	for i := first; i < n; i += step {
		b = around(b, planOf(point[base+i]))
	}
	return b
}

// GridOf returns the corners of the grid of a track of n points whose outer border has the box b, see grid.
func GridOf(b Box, n int32, padding float32) Box {
	if n < 3 {
		return Box{Low: kernel.V2(-1, -1), High: kernel.V2(1, 1)}
	}
	pad := padding
	if !(pad > 0) {
		pad = float32(defaultPadding * kernel.Max(b.High.X-b.Low.X, b.High.Y-b.Low.Y))
	}
	return Box{Low: kernel.V2(b.Low.X-pad, b.Low.Y-pad), High: kernel.V2(b.High.X+pad, b.High.Y+pad)}
}
