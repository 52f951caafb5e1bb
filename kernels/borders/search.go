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

// around returns the square about a point.
func around(p kernel.Vec2, reach float32) window {
	return window{low: kernel.V2(p.X-reach, p.Y-reach), high: kernel.V2(p.X+reach, p.Y+reach)}
}

// holds reports whether a window lies in another one.
func (w window) holds(other window) bool {
	return w.low.X <= other.low.X && w.low.Y <= other.low.Y && w.high.X >= other.high.X && w.high.Y >= other.high.Y
}

// meets reports whether a window and the bounds of a node have a point in common. All of their numbers are finite.
// The signs of differences spare the jumps of four comparisons, which a processor cannot foresee.
func meets(w window, bounds kernel.Quat) bool {
	x := kernel.Float32Bits(w.high.X-bounds.X) | kernel.Float32Bits(bounds.Z-w.low.X)
	y := kernel.Float32Bits(w.high.Y-bounds.Y) | kernel.Float32Bits(bounds.W-w.low.Y)
	return int32(x|y) >= 0
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
// place is that of the first segment in the order of the scan. If the window lies in the area of the vicinity v, the
// search needs no way through the tree.
func alongBorder(best nearest, b Box, l polyline.Line, place int32, v vicinity, boundary int32,
	index []kernel.Quat) found {
	slack := slackOf(b, index[l.Node(0)])
	f := found{best: best, reach: best.distance + slack, odd: 0}
	near := windowOf(b, f.reach)
	if slack < kernel.Inf() && v.area.holds(near) {
		return alongRuns(f, b, l, place, v, boundary, slack, index)
	}
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
			f = alongLeaf(f, b, l, place, polyline.FirstLeaf(second)*polyline.LeafSegments, l.EndOf(second), slack, index)
			near = windowOf(b, f.reach)
		}
		node++
	}
	return f
}

// alongLeaf does the work of alongBorder for the segments from to end-1.
func alongLeaf(f found, b Box, l polyline.Line, place, from, end int32, slack float32, index []kernel.Quat) found {
	near := windowOf(b, f.reach)
	a := polyline.Plan(index[l.Base+from])
	for i := from; i < end; i++ {
		e := polyline.Plan(index[l.Base+i+1])
		if a.X > near.high.X && e.X > near.high.X {
			f.odd ^= straddled(b.corners, a.Y, e.Y)
		} else if !((a.X < near.low.X && e.X < near.low.X) || (a.Y > near.high.Y && e.Y > near.high.Y) ||
			(a.Y < near.low.Y && e.Y < near.low.Y)) {
			// The corners are between the bounds, so that most segments need no ray.
			if !(a.Y > b.high.Y && e.Y > b.high.Y) && !(a.Y <= b.low.Y && e.Y <= b.low.Y) {
				f.odd ^= rays(b.corners, a, e)
			}
			if place+i == f.best.place || (f.best.crossed && place+i > f.best.place) {
				a = e
				continue // it is known, or a later segment, which is not nearer
			}
			v := b.local(a.Sub(b.Center))
			w := b.local(e.Sub(b.Center))
			x := gap(v.X, w.X, b.reach.X)
			y := gap(v.Y, w.Y, b.reach.Y)
			limit := float32(f.reach * f.reach)
			if !(float32(x*x)+float32(y*y) > limit) {
				f.best = take(f.best, b, segment{place: place + i, a: a, v: v, w: w}, courseOf(a, e), limit,
					!(x > slack || y > slack))
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

// leastSquared returns the least squared distance of c from a border, or any number up to enough if it is not above
// that. It is infinite if no distance is finite. begin is a segment that is probably near, and v its vicinity.
func leastSquared(c kernel.Vec2, begin, boundary int32, enough float32, slack float32, l polyline.Line, v vicinity,
	index []kernel.Quat) float32 {
	least := kernel.Min(squaredFrom(c, begin, l, index), kernel.Inf())
	if slack < kernel.Inf() && v.area.holds(around(c, kernel.Sqrt(least)+slack)) {
		return leastInRuns(c, least, enough, slack, l, v, boundary, index)
	}
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

// taken returns the nearer of best and segment i of a border, with which a search begins.
func taken(best nearest, b Box, i, place int32, l polyline.Line, index []kernel.Quat) nearest {
	a := polyline.Plan(index[l.Base+i])
	e := polyline.Plan(index[l.Base+i+1])
	s := segment{place: place + i, a: a, v: b.local(a.Sub(b.Center)), w: b.local(e.Sub(b.Center))}
	return take(best, b, s, courseOf(a, e), kernel.Inf(), true)
}

// rooted returns a distance of which squared is the square.
func rooted(squared float32) float32 {
	if squared < kernel.Inf() {
		return kernel.Sqrt(squared)
	}
	return polyline.Far
}

// deepest returns the largest of the distances of corners from the borders that they are outside of (C-72). outside has
// a bit for each corner and border: those of outer are the lower four. begin is a segment that is probably near, and v
// its vicinity.
func deepest(b Box, outside, begin, env, maxPoints int32, v vicinity, index []kernel.Quat) float32 {
	squared := float32(0)
	for k := int32(0); k < 8; k++ {
		if outside>>(k&31)&1 != 0 {
			boundary := 1 - k/4
			l := polyline.LineOf(env, boundary, Lines, maxPoints, index)
			squared = kernel.Max(squared, leastSquared(b.corners.at(k&3), begin, boundary, squared,
				slackOf(b, index[l.Node(0)]), l, v, index))
		}
	}
	return rooted(squared)
}
