package borders

import (
	"github.com/trackgen-go/trackgen/kernel"
	"github.com/trackgen-go/trackgen/kernels/polyline"
)

// roadsAround is how far an area reaches beyond its leaves, in widths of the road: so far that the area holds the
// window of nearly every box on the road, and no farther, because each leaf that meets it costs time.
const roadsAround = 0.75

// surround completes the index of the active envs, whose borders package polyline has built: each point of a border
// gets the point of the centreline with its number, to Z and W, and each leaf its vicinity. centerline is
// [E, maxPoints]. One group is one env. kernelgen cannot prove that the points of the two borders are different ones.
//
//kernel:group lanes=64
//kernel:unproven
//kernel:iterations surroundIterations(maxPoints, lanes)
func surround(g kernel.Group, active []int32, maxPoints int32, centerline []kernel.Vec3, index []kernel.Quat) {
	if g.ID >= active[0] {
		return
	}
	env := active[g.ID+1]
	inner := polyline.LineOf(env, Inner, Lines, maxPoints, index)
	outer := polyline.LineOf(env, Outer, Lines, maxPoints, index)
	for i := range g.Each(inner.N) {
		c := centerline[env*maxPoints+i]
		p := index[inner.Base+i]
		q := index[outer.Base+i]
		index[inner.Base+i] = kernel.Quat{X: p.X, Y: p.Y, Z: c.X, W: c.Y}
		index[outer.Base+i] = kernel.Quat{X: q.X, Y: q.Y, Z: c.X, W: c.Y}
	}
	for leaf := range g.Each(polyline.Leaves(inner.N)) {
		a := index[inner.Leaf+leaf]
		b := index[outer.Leaf+leaf]
		p := polyline.Plan(index[inner.Base+leaf*polyline.LeafSegments])
		q := polyline.Plan(index[outer.Base+leaf*polyline.LeafSegments])
		width := q.Sub(p).Len()
		margin := float32(roadsAround * width)
		area := window{low: kernel.V2(kernel.Min(a.X, b.X)-margin, kernel.Min(a.Y, b.Y)-margin),
			high: kernel.V2(kernel.Max(a.Z, b.Z)+margin, kernel.Max(a.W, b.W)+margin)}
		in := leavesIn(area, p, inner, index)
		out := leavesIn(area, p, outer, index)
		if !in.fit(inner) || !out.fit(outer) {
			area = window{low: kernel.V2(kernel.Inf(), 0), high: kernel.V2(0, 0)} // which holds no window
		}
		index[inner.Note(leaf)+1] = kernel.Quat{X: clearanceOf(leaf, width, inner, outer, index), Y: 0, Z: 0, W: 0}
		index[outer.Note(leaf)+1] = kernel.Quat{X: clearanceOf(leaf, width, outer, inner, index), Y: 0, Z: 0, W: 0}
		index[inner.Note(leaf)] = kernel.Quat{X: area.low.X, Y: area.low.Y, Z: area.high.X, W: area.high.Y}
		index[outer.Note(leaf)] = kernel.Quat{
			X: polyline.Coded(in.firstCode(area, p, inner, index)), Y: polyline.Coded(in.secondCode(area, p, inner, index)),
			Z: polyline.Coded(out.firstCode(area, p, outer, index)), W: polyline.Coded(out.secondCode(area, p, outer, index))}
	}
}

// leaves are the leaves of a line that meet an area, in runs: the first, the second and the last one. A run is the
// leaves from its begin to that before its end; the end of one that goes on at the first leaf is above their number.
type leaves struct {
	runs                int32
	first, second, last interval
	odd                 int32 // crossings of a ray from a point in the area with what is outside of it: 1 if they are odd
}

type interval struct{ begin, end int32 }

// leavesIn returns the leaves that meet an area, in which p is.
func leavesIn(area window, p kernel.Vec2, l polyline.Line, index []kernel.Quat) leaves {
	none := interval{begin: 0, end: 0}
	r := leaves{runs: 0, first: none, second: none, last: none, odd: 0}
	nodes := l.Nodes()
	for node := int32(0); node < nodes; {
		at := l.Node(node)
		bounds := index[at]
		second := index[at+1]
		right := bounds.X > area.high.X
		if right || bounds.Z < area.low.X || bounds.Y > area.high.Y || bounds.W < area.low.Y {
			from := index[l.Base+polyline.FirstLeaf(second)*polyline.LeafSegments].Y
			if right && parts(p.Y, from, index[l.Base+l.EndOf(second)].Y) {
				r.odd ^= 1
			}
			node = polyline.Skip(node, second)
			continue
		}
		if polyline.LeavesOf(second) == 1 {
			r = r.with(polyline.FirstLeaf(second))
		}
		node++
	}
	if r.runs > 1 && r.first.begin == 0 && r.last.end == polyline.Leaves(l.N) { // the last run goes on in the first one
		r.first = interval{begin: r.last.begin, end: r.last.end + r.first.end}
		r.runs--
	}
	return r
}

// with returns r and a leaf behind all of its leaves.
func (r leaves) with(leaf int32) leaves {
	if r.runs == 0 || leaf != r.last.end {
		r.runs++
		r.last.begin = leaf
	}
	r.last.end = leaf + 1
	if r.runs == 1 {
		r.first = r.last
	}
	if r.runs == 2 {
		r.second = r.last
	}
	return r
}

// fit reports whether codes can hold the runs.
func (r leaves) fit(l polyline.Line) bool {
	return r.runs <= 2 && polyline.Leaves(l.N) <= maxFirst+1 && r.first.end-r.first.begin <= maxCount &&
		r.second.end-r.second.begin <= maxCount
}

// firstCode returns the code of the first run, which has no leaves if no leaf meets the area. It holds the constant
// part of the parity: the crossings of the ray from p, without those that the ends of the runs add.
func (r leaves) firstCode(area window, p kernel.Vec2, l polyline.Line, index []kernel.Quat) int32 {
	first := codeOf(r.first, area, l, index)
	odd := r.odd ^ oddAt(p, first, l, index)
	if r.runs > 1 {
		odd ^= oddAt(p, codeOf(r.second, area, l, index), l, index)
	}
	if odd != 0 {
		first |= isOdd
	}
	return first
}

// secondCode returns the code of the second run, 0 without one.
func (r leaves) secondCode(area window, p kernel.Vec2, l polyline.Line, index []kernel.Quat) int32 {
	if r.runs < 2 {
		return 0
	}
	return codeOf(r.second, area, l, index)
}

// codeOf returns the code of a run. Its begin, or its end, counts if the leaf beside it is to the right of the area.
func codeOf(r interval, area window, l polyline.Line, index []kernel.Quat) int32 {
	number := polyline.Leaves(l.N)
	count := r.end - r.begin
	code := r.begin&maxFirst | (count&countMask)<<firstBits
	if count > 0 && count < number {
		if index[l.Leaf+(r.begin+number-1)%number].X > area.high.X {
			code |= beginCount
		}
		if index[l.Leaf+r.end%number].X > area.high.X {
			code |= endCounts
		}
	}
	return code
}

// oddAt returns what the ends of a run add to the crossings of the ray from p.
func oddAt(p kernel.Vec2, code int32, l polyline.Line, index []kernel.Quat) int32 {
	odd := int32(0)
	begin := code & maxFirst
	if code&beginCount != 0 && p.Y < index[l.Base+begin*polyline.LeafSegments].Y {
		odd ^= 1
	}
	end := (begin + countOf(code)) % polyline.Leaves(l.N)
	if code&endCounts != 0 && p.Y < index[l.Base+end*polyline.LeafSegments].Y {
		odd ^= 1
	}
	return odd
}
