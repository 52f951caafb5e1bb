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

// slackOf returns by how much a bound may be above the distance that is computed, for a line whose boxes reach up to
// extent. It is infinite where nothing is known; then no segment is passed over.
func slackOf(b Box, extent float32) float32 {
	size := kernel.Abs(b.Center.X) + kernel.Abs(b.Center.Y) + b.reach.X + b.reach.Y + extent
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
	slack := slackOf(b, l.Extent(index))
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
				f.odd ^= below(b.corners, index[l.Base+polyline.FirstLeaf(second)*polyline.LeafSegments].Y) ^
					below(b.corners, index[l.Base+l.EndOf(second)].Y)
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

// sides tell on which side of a window points are: bit k of each is set if point k is to its right, to its left, above
// it and below it.
type sides struct{ right, left, above, below int32 }

// sidesOf returns the sides of so many points from point[base] on. All of their numbers are finite. The signs of
// differences spare the jumps of comparisons, which a processor cannot foresee.
func sidesOf(w window, base, count int32, index []kernel.Quat) sides {
	s := sides{right: 0, left: 0, above: 0, below: 0}
	for k := int32(0); k < count; k++ {
		p := index[base+k]
		s.right |= int32(kernel.Float32Bits(w.high.X-p.X)>>31) << (k & 31)
		s.left |= int32(kernel.Float32Bits(p.X-w.low.X)>>31) << (k & 31)
		s.above |= int32(kernel.Float32Bits(w.high.Y-p.Y)>>31) << (k & 31)
		s.below |= int32(kernel.Float32Bits(p.Y-w.low.Y)>>31) << (k & 31)
	}
	return s
}

// alongLeaf does the work of alongBorder for the segments from to end-1.
//
// First it finds which segments may meet the window, and which are to the right of it, as alongRun does for leaves.
func alongLeaf(f found, b Box, l polyline.Line, place, from, end int32, slack float32, index []kernel.Quat) found {
	all := int32(1)<<((end-from)&31) - 1
	in := all
	if slack < kernel.Inf() {
		s := sidesOf(windowOf(b, f.reach), l.Base+from, end-from+1, index)
		right := s.right & (s.right >> 1)
		in = all &^ (right | s.left&(s.left>>1) | s.above&(s.above>>1) | s.below&(s.below>>1))
		right &= all
		for ends := right ^ right<<1; ends != 0; ends &= ends - 1 {
			f.odd ^= below(b.corners, index[l.Base+from+lowestBit(ends)].Y)
		}
	}
	for ; in != 0; in &= in - 1 {
		i := from + lowestBit(in)
		a := polyline.Plan(index[l.Base+i])
		e := polyline.Plan(index[l.Base+i+1])
		// The corners are between the bounds, so that most segments need no ray.
		if !(a.Y > b.high.Y && e.Y > b.high.Y) && !(a.Y <= b.low.Y && e.Y <= b.low.Y) {
			f.odd ^= rays(b.corners, a, e)
		}
		if place+i == f.best.place || (f.best.crossed && place+i > f.best.place) {
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
		}
	}
	return f
}

// squaredFrom returns the squared distance of p from segment i of a line.
func squaredFrom(p kernel.Vec2, i int32, l polyline.Line, index []kernel.Quat) float32 {
	return squaredTo(p, courseOf(polyline.Plan(index[l.Base+i]), polyline.Plan(index[l.Base+i+1])))
}

// squaredToNode returns the squared distance of p from the box of the node whose first element is first. It has the
// operations of that from a segment, which are monotonic, so it is no larger.
func squaredToNode(p kernel.Vec2, first kernel.Quat) float32 {
	x := kernel.Max(kernel.Max(first.X-p.X, p.X-first.Z), 0)
	y := kernel.Max(kernel.Max(first.Y-p.Y, p.Y-first.W), 0)
	return float32(x*x) + float32(y*y)
}

// leastSquared returns the least squared distance of c from a border, or any number up to enough if it is not above
// that. It is infinite if no distance is finite. least is that from a segment, and v a vicinity that is probably near.
func leastSquared(c kernel.Vec2, least float32, boundary int32, enough float32, slack float32, l polyline.Line,
	v vicinity, index []kernel.Quat) float32 {
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
			least = leastOnLeaf(c, least, polyline.FirstLeaf(second)*polyline.LeafSegments, l.EndOf(second), l, index)
		}
		node++
	}
	return least
}

// leastOnLeaf returns the smaller of least and the squared distance of c from the segments from to end-1.
func leastOnLeaf(c kernel.Vec2, least float32, from, end int32, l polyline.Line, index []kernel.Quat) float32 {
	a := polyline.Plan(index[l.Base+from])
	for i := from; i < end; i++ {
		e := polyline.Plan(index[l.Base+i+1])
		least = kernel.Min(squaredTo(c, courseOf(a, e)), least)
		a = e
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
	for boundary := int32(0); boundary < Lines; boundary++ {
		if corners := outside >> (4 * (Lines - 1 - boundary) & 31) & allCorners; corners != 0 {
			l := polyline.LineOf(env, boundary, Lines, maxPoints, index)
			squared = deepestFrom(squared, b, corners, begin, boundary, l, v, index)
		}
	}
	return rooted(squared)
}

// deepestFrom returns the larger of squared and the squared distances of corners from a border. The corner that is
// probably deepest comes first: then the segments beside the others mostly show that they are not deeper.
func deepestFrom(squared float32, b Box, corners, begin, boundary int32, l polyline.Line, v vicinity,
	index []kernel.Quat) float32 {
	slack := slackOf(b, l.Extent(index))
	most := float32(-1)
	first := int32(0)
	for left := corners; left != 0; left &= left - 1 {
		k := lowestBit(left)
		if beside := squaredBeside(b.corner(k), begin, l, index); beside > most {
			most = beside
			first = k
		}
	}
	if most > squared {
		squared = kernel.Max(squared, leastSquared(b.corner(first), most, boundary, squared, slack, l, v, index))
	}
	for left := corners &^ (1 << (first & 31)); left != 0; left &= left - 1 {
		c := b.corner(lowestBit(left))
		if beside := squaredBeside(c, begin, l, index); beside > squared {
			squared = kernel.Max(squared, leastSquared(c, beside, boundary, squared, slack, l, v, index))
		}
	}
	return squared
}

// squaredBeside returns the squared distance of p from the segment beside it, see along, or infinity for no number.
func squaredBeside(p kernel.Vec2, i int32, l polyline.Line, index []kernel.Quat) float32 {
	return kernel.Min(squaredFrom(p, along(p, i, l, index), l, index), kernel.Inf())
}
