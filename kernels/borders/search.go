package borders

import (
	"github.com/trackgen-go/trackgen/kernel"
	"github.com/trackgen-go/trackgen/kernels/polyline"
)

// Limits of what rounding does to a distance: see the package.
const (
	relativeSlack = 1.0 / (1 << 18)
	leastSlack    = 1e-11
)

// slackOf returns by how much a bound may be above the distance that is computed, for a line whose root node has the
// first element root. It is infinite where nothing is known; then no segment is passed over.
func slackOf(b Box, root kernel.Quat) float32 {
	line := kernel.Max(kernel.Max(kernel.Abs(root.X), kernel.Abs(root.Z)),
		kernel.Max(kernel.Abs(root.Y), kernel.Abs(root.W)))
	size := kernel.Abs(b.Center.X) + kernel.Abs(b.Center.Y) + b.reach.X + b.reach.Y + line
	if !(size <= polyline.Limit) || b.cos != b.cos {
		return kernel.Inf()
	}
	return float32(size*relativeSlack) + leastSlack
}

// gap returns the distance between the intervals from -h to h and from the smaller of a and e to the larger, 0 if they
// meet.
func gap(a, e, h float32) float32 {
	return kernel.Max(kernel.Max(kernel.Min(a, e)-h, -h-kernel.Max(a, e)), 0)
}

// window is the bounds of a box, larger by a distance on all sides.
type window struct{ low, high kernel.Vec2 }

func windowOf(b Box, distance float32) window {
	return window{low: kernel.V2(b.low.X-distance, b.low.Y-distance),
		high: kernel.V2(b.high.X+distance, b.high.Y+distance)}
}

// straddled returns a bit for each corner of a box whose y is between two others, as ray tests it.
func straddled(c Corners, y, z float32) int32 {
	bits := int32(0)
	if parts(c.c0.Y, y, z) {
		bits = 1
	}
	if parts(c.c1.Y, y, z) {
		bits |= 2
	}
	if parts(c.c2.Y, y, z) {
		bits |= 4
	}
	if parts(c.c3.Y, y, z) {
		bits |= 8
	}
	return bits
}

// found is what a search for a box returns.
type found struct {
	best  nearest
	reach float32 // distance above which a segment is not nearer than best, and not as near
	odd   int32   // a bit for each corner from which the ray crosses the border an odd number of times
}

// alongBorder searches a border for the nearest segment, and counts the crossings of the rays from the corners. Both
// take one way through the tree: a node, or a segment, that is passed over is outside the window of what may be near.
// If it is to the right of the window, the ray from a corner crosses those of its segments that straddle the height of
// the corner; their number is odd if the first and the last point straddle it. Else no ray crosses any of its segments.
//
// enough is a distance that the result is not above.
func alongBorder(b Box, l polyline.Line, boundary int32, best nearest, enough float32, index []kernel.Quat) found {
	slack := slackOf(b, index[l.Node(0)])
	f := found{best: best, reach: kernel.Min(best.distance, enough) + slack, odd: 0}
	near := windowOf(b, f.reach)
	nodes := l.Nodes()
	for node := l.First(); node < nodes; {
		at := l.Node(node)
		first := index[at]
		second := index[at+1]
		if first.X > near.high.X {
			if first.Y <= near.high.Y && first.W >= near.low.Y {
				f.odd ^= straddled(b.corners, index[l.Base+polyline.FirstLeaf(second)*polyline.LeafSegments].Y,
					index[l.Base+l.EndOf(second)].Y)
			}
			node = polyline.Skip(node, second)
			continue
		}
		if first.Z < near.low.X || first.Y > near.high.Y || first.W < near.low.Y {
			node = polyline.Skip(node, second)
			continue
		}
		if polyline.LeavesOf(second) == 1 {
			f = alongLeaf(f, b, l, boundary, polyline.FirstLeaf(second)*polyline.LeafSegments, l.EndOf(second), slack,
				index)
			near = windowOf(b, f.reach)
		}
		node++
	}
	return f
}

// alongLeaf does the work of alongBorder for the segments from to end-1.
func alongLeaf(f found, b Box, l polyline.Line, boundary, from, end int32, slack float32, index []kernel.Quat) found {
	near := windowOf(b, f.reach)
	a := polyline.Plan(index[l.Base+from])
	for i := from; i < end; i++ {
		e := polyline.Plan(index[l.Base+i+1])
		if a.X > near.high.X && e.X > near.high.X {
			f.odd ^= straddled(b.corners, a.Y, e.Y)
		} else if !((a.X < near.low.X && e.X < near.low.X) || (a.Y > near.high.Y && e.Y > near.high.Y) ||
			(a.Y < near.low.Y && e.Y < near.low.Y)) {
			f.odd ^= rays(b.corners, a, e)
			if f.best.crossed && (boundary > f.best.boundary || i > f.best.segment) {
				a = e
				continue // no later segment is nearer
			}
			v := b.local(a.Sub(b.Center))
			w := b.local(e.Sub(b.Center))
			x := gap(v.X, w.X, b.reach.X)
			y := gap(v.Y, w.Y, b.reach.Y)
			if !(float32(x*x)+float32(y*y) > float32(f.reach*f.reach)) {
				c := courseOf(a, e)
				f.best = take(f.best, b, segment{boundary: boundary, i: i, a: a, e: e, v: v, w: w}, c, feetOn(b.corners, c))
				f.reach = kernel.Min(f.reach, f.best.distance+slack)
				near = windowOf(b, f.reach)
			}
		}
		a = e
	}
	return f
}

// squaredFrom returns the squared distance of p from segment i of a line.
func squaredFrom(p kernel.Vec2, i int32, l polyline.Line, index []kernel.Quat) float32 {
	return squaredBetween(p, near(p, courseOf(polyline.Plan(index[l.Base+i]), polyline.Plan(index[l.Base+i+1]))))
}

// squaredToNode returns the squared distance of p from the box of the node whose first element is first. It has the
// operations of that from a segment, which are monotonic, so it is no larger.
func squaredToNode(p kernel.Vec2, first kernel.Quat) float32 {
	x := kernel.Max(kernel.Max(first.X-p.X, p.X-first.Z), 0)
	y := kernel.Max(kernel.Max(first.Y-p.Y, p.Y-first.W), 0)
	return float32(x*x) + float32(y*y)
}

// leastSquared returns the least squared distance of c from a line, or any number up to enough if it is not above
// that. It is infinite if no distance is finite. begin is a segment that is probably near.
func leastSquared(c kernel.Vec2, begin int32, enough float32, l polyline.Line, index []kernel.Quat) float32 {
	least := kernel.Min(squaredFrom(c, begin, l, index), kernel.Inf())
	nodes := l.Nodes()
	for node := l.First(); node < nodes && least > enough; {
		at := l.Node(node)
		first := index[at]
		second := index[at+1]
		if squaredToNode(c, first) >= least {
			node = polyline.Skip(node, second)
			continue
		}
		if polyline.LeavesOf(second) == 1 {
			end := l.EndOf(second)
			for i := polyline.FirstLeaf(second) * polyline.LeafSegments; i < end; i++ {
				least = kernel.Min(squaredFrom(c, i, l, index), least)
			}
		}
		node++
	}
	return least
}

// bound returns a distance that is not below that of a box from a segment as take computes it. It is infinite if none
// is finite.
func bound(b Box, i int32, l polyline.Line, index []kernel.Quat) float32 {
	f := feetOn(b.corners, courseOf(polyline.Plan(index[l.Base+i]), polyline.Plan(index[l.Base+i+1])))
	return kernel.Sqrt(kernel.Min(f.s0, kernel.Min(f.s1, kernel.Min(f.s2, kernel.Min(f.s3, kernel.Inf())))))
}

// rooted returns a distance of which squared is the square.
func rooted(squared float32) float32 {
	if squared < kernel.Inf() {
		return kernel.Sqrt(squared)
	}
	return polyline.Far
}

// deepest returns the largest of the distances of corners from the borders that they are outside of (C-72). outside has
// a bit for each corner and border: those of outer are the lower four. begin is a segment that is probably near.
func deepest(b Box, outside, begin, env, maxPoints int32, index []kernel.Quat) float32 {
	squared := float32(0)
	for k := int32(0); k < 8; k++ {
		if outside>>(k&31)&1 != 0 {
			l := polyline.LineOf(env, 1-k/4, Lines, maxPoints, index)
			squared = kernel.Max(squared, leastSquared(b.corners.at(k&3), begin, squared, l, index))
		}
	}
	return rooted(squared)
}

// begin returns a segment that is probably near a box: at each level of the tree, it goes to the node that is nearer
// to its centre, and in the leaf, to the segment whose first point is nearest.
func begin(b Box, l polyline.Line, index []kernel.Quat) int32 {
	node := int32(0)
	second := index[l.Node(0)+1]
	for polyline.LeavesOf(second) > 1 {
		other := node + 2*((polyline.LeavesOf(second)+1)/2)
		node++
		if squaredToNode(b.Center, index[l.Node(other)]) < squaredToNode(b.Center, index[l.Node(node)]) {
			node = other
		}
		second = index[l.Node(node)+1]
	}
	near := polyline.FirstLeaf(second) * polyline.LeafSegments
	end := l.EndOf(second)
	least := kernel.Inf()
	for i := near; i < end; i++ {
		squared := squaredBetween(b.Center, polyline.Plan(index[l.Base+i]))
		if squared < least {
			least = squared
			near = i
		}
	}
	return near
}
