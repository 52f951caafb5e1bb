package borders

import (
	"github.com/trackgen-go/trackgen/kernel"
	"github.com/trackgen-go/trackgen/kernels/polyline"
)

// vicinity is what lies around a leaf: an area, and the runs of leaves of both borders that meet it. The notes of the
// inner border hold the areas, those of the outer border the runs: two codes for each border, of which the second is 0
// if there is one run.
type vicinity struct {
	area window
	runs kernel.Quat
}

// Parts of the code of a run.
const (
	firstBits  = 13 // first leaf
	countBits  = 7  // number of leaves, which may be 0 for the first run
	maxFirst   = 1<<firstBits - 1
	countMask  = 1<<countBits - 1
	maxCount   = 29                           // a search has a bit for each leaf of a run and for those beside it
	beginCount = 1 << (firstBits + countBits) // the point at which the run begins counts for the parity: see the package
	endCounts  = 2 * beginCount               // and that at which it ends
	isOdd      = 4 * beginCount               // of the first run: the constant part of the parity
)

// vicinityOf returns the vicinity of a segment.
func vicinityOf(segment, env, maxPoints int32, index []kernel.Quat) vicinity {
	leaf := segment / polyline.LeafSegments
	area := index[polyline.LineOf(env, Inner, Lines, maxPoints, index).Note(leaf)]
	return vicinity{area: window{low: kernel.V2(area.X, area.Y), high: kernel.V2(area.Z, area.W)},
		runs: index[polyline.LineOf(env, Outer, Lines, maxPoints, index).Note(leaf)]}
}

// firstRun returns the code of the first run of a border.
func (v vicinity) firstRun(boundary int32) int32 {
	if boundary == Inner {
		return polyline.Decoded(v.runs.X)
	}
	return polyline.Decoded(v.runs.Z)
}

// secondRun returns the code of the second run of a border, 0 if there is none.
func (v vicinity) secondRun(boundary int32) int32 {
	if boundary == Inner {
		return polyline.Decoded(v.runs.Y)
	}
	return polyline.Decoded(v.runs.W)
}

// countOf returns the number of leaves of a run.
func countOf(run int32) int32 { return run >> firstBits & countMask }

// after returns the leaf after another one.
func after(leaf int32, l polyline.Line) int32 {
	if leaf+1 < polyline.Leaves(l.N) {
		return leaf + 1
	}
	return 0
}

// alongRuns does the work of alongBorder for a box whose window is in the area of a vicinity.
func alongRuns(f found, b Box, l polyline.Line, place int32, v vicinity, boundary int32, slack float32,
	index []kernel.Quat) found {
	f = alongRun(f, b, l, place, v.firstRun(boundary), slack, index)
	if second := v.secondRun(boundary); second != 0 {
		f = alongRun(f, b, l, place, second, slack, index)
	}
	return f
}

// alongRun does the work of alongBorder for the leaves of a run, and counts the crossings of what is outside of the
// area that belongs to the run.
//
// First it finds which leaves meet the window, and which are to the right of it, without a jump that a processor cannot
// foresee. To the right count as well those beside the run that count for the parity. What successive leaves to the
// right add to the parity cancels but for their two ends; those above or below the window have both ends there.
func alongRun(f found, b Box, l polyline.Line, place, run int32, slack float32, index []kernel.Quat) found {
	if run&isOdd != 0 {
		f.odd ^= allCorners
	}
	number := polyline.Leaves(l.N)
	begin := run & maxFirst
	count := countOf(run)
	near := windowOf(b, f.reach)
	met := int32(0)                             // bit k is leaf k of the run
	right := run >> (firstBits + countBits) & 1 // bit k+1 is leaf k
	leaf := begin
	for k := int32(0); k < count; k++ {
		bounds := index[l.Leaf+leaf]
		x := kernel.Float32Bits(near.high.X - bounds.X)
		out := x | kernel.Float32Bits(bounds.Z-near.low.X) | kernel.Float32Bits(near.high.Y-bounds.Y) |
			kernel.Float32Bits(bounds.W-near.low.Y)
		met |= int32(out>>31^1) << (k & 31)
		right |= int32(x>>31) << ((k + 1) & 31)
		leaf = after(leaf, l)
	}
	right |= run >> (firstBits + countBits + 1) & 1 << ((count + 1) & 31)
	for ends := (right ^ right>>1) & (1<<((count+1)&31) - 1); ends != 0; ends &= ends - 1 {
		at := wrapped(begin+lowestBit(ends), number) * polyline.LeafSegments
		f.odd ^= below(b.corners, index[l.Base+at].Y)
	}
	for ; met != 0; met &= met - 1 {
		from := wrapped(begin+lowestBit(met), number) * polyline.LeafSegments
		f = alongLeaf(f, b, l, place, from, min(from+polyline.LeafSegments, l.N), slack, index)
	}
	return f
}

// wrapped returns a leaf of so many, where the one after the last is the first.
func wrapped(leaf, number int32) int32 {
	if leaf >= number {
		leaf -= number
	}
	return leaf
}

// lowestBit returns the number of the lowest bit that is set in m, which is above 0.
func lowestBit(m int32) int32 { return int32(kernel.Float32Bits(float32(m&-m))>>23) - 127 }

// below returns a bit for each corner of a box that is below a height.
func below(c Corners, y float32) int32 {
	bits := int32(0)
	if c.c0.Y < y {
		bits = 1
	}
	if c.c1.Y < y {
		bits |= 2
	}
	if c.c2.Y < y {
		bits |= 4
	}
	if c.c3.Y < y {
		bits |= 8
	}
	return bits
}

// leastInRuns does the work of leastSquared for a corner whose window is in the area of a vicinity.
func leastInRuns(c kernel.Vec2, least, enough, slack float32, l polyline.Line, v vicinity, boundary int32,
	index []kernel.Quat) float32 {
	least = leastInRun(c, least, enough, slack, l, v.firstRun(boundary), index)
	if second := v.secondRun(boundary); second != 0 {
		least = leastInRun(c, least, enough, slack, l, second, index)
	}
	return least
}

// leastInRun does the work of leastSquared for the leaves of a run.
func leastInRun(c kernel.Vec2, least, enough, slack float32, l polyline.Line, run int32, index []kernel.Quat) float32 {
	near := around(c, kernel.Sqrt(least)+slack)
	leaf := run & maxFirst
	for k := countOf(run); k > 0 && least > enough; k-- {
		if meets(near, index[l.Leaf+leaf]) {
			from := leaf * polyline.LeafSegments
			end := min(from+polyline.LeafSegments, l.N)
			least = leastOnLeaf(c, least, from, end, l, index)
			near = around(c, kernel.Sqrt(least)+slack)
		}
		leaf = after(leaf, l)
	}
	return least
}
