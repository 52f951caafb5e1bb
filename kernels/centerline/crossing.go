package centerline

import "github.com/trackgen-go/trackgen/kernel"

// crossTolerance, times the squared length of a segment, is what the cross products of the segment with the ends of
// another one must exceed for these ends to lie on different sides of it (docs/spec/pipeline.md, section 4.0).
const crossTolerance = 1e-3

// Straddles reports whether p and q lie clearly on different sides of the line through a and b.
func Straddles(a, b, p, q kernel.Vec2) bool {
	d := b.Sub(a)
	limit := float32(crossTolerance * d.Dot(d))
	side1 := d.Cross(p.Sub(a))
	side2 := d.Cross(q.Sub(a))
	return (side1 > limit && side2 < -limit) || (side1 < -limit && side2 > limit)
}

// SegmentsCross reports whether the segments ab and pq cross properly.
func SegmentsCross(a, b, p, q kernel.Vec2) bool {
	return Straddles(a, b, p, q) && Straddles(p, q, a, b)
}

// Block is how many consecutive segments share one bounding box when crossings are counted.
const Block = 8

// BoxOf returns the bounding box of the segments first..first+Block-1 of the closed polygon point[base..base+n): lower
// corner, upper corner.
func BoxOf(first, n, base int32, point []kernel.Vec2) (kernel.Vec2, kernel.Vec2) {
	lo := point[base+first]
	hi := lo
	last := first + Block
	if last > n {
		last = n
	}
	for k := first + 1; k <= last; k++ {
		p := point[base]
		if k < n {
			p = point[base+k]
		}
		lo.X = kernel.Min(lo.X, p.X)
		lo.Y = kernel.Min(lo.Y, p.Y)
		hi.X = kernel.Max(hi.X, p.X)
		hi.Y = kernel.Max(hi.Y, p.Y)
	}
	return lo, hi
}

// CrossingShares is how many items share the work of comparing one block of segments with itself and the later blocks.
const CrossingShares = 4

// Crossings counts self-crossings of the closed polygon point[base..base+n). The work is cut into CrossingShares shares
// for each block of segments, and a call does one of them. It returns how many pairs of segments cross properly, and
// the first segment that a later one crosses, n where there is none. boxLo and boxHi hold the boxes of the blocks, from
// boxBase on. Segments whose boxes are apart cannot cross: the rounding in Straddles is far below its tolerance.
func Crossings(share, n, base int32, point []kernel.Vec2, boxBase int32, boxLo, boxHi []kernel.Vec2) (int32, int32) {
	block := share / CrossingShares
	blocks := (n + Block - 1) / Block
	lo := boxLo[boxBase+block]
	hi := boxHi[boxBase+block]
	crossings := int32(0)
	first := n
	for other := block + share%CrossingShares; other < blocks; other += CrossingShares {
		otherLo := boxLo[boxBase+other]
		otherHi := boxHi[boxBase+other]
		if otherLo.X > hi.X || otherHi.X < lo.X || otherLo.Y > hi.Y || otherHi.Y < lo.Y {
			continue
		}
		for i := block * Block; i < (block+1)*Block && i < n; i++ {
			a := point[base+i]
			b := point[base+After(i, n)]
			if otherLo.X > kernel.Max(a.X, b.X) || otherHi.X < kernel.Min(a.X, b.X) ||
				otherLo.Y > kernel.Max(a.Y, b.Y) || otherHi.Y < kernel.Min(a.Y, b.Y) {
				continue
			}
			found := crossingsWithin(i, a, b, other, n, base, point)
			crossings += found
			if found > 0 && i < first {
				first = i
			}
		}
	}
	return crossings, first
}

// crossingsWithin counts the segments of a block that come after segment i, which goes from a to b, and cross it
// properly. Neighbours never cross: the end that they share lies on both lines.
func crossingsWithin(i int32, a, b kernel.Vec2, block, n, base int32, point []kernel.Vec2) int32 {
	from := block * Block
	if from <= i {
		from = i + 1
	}
	if from >= n {
		return 0
	}
	d := b.Sub(a)
	limit := float32(crossTolerance * d.Dot(d))
	side := d.Cross(point[base+from].Sub(a))
	crossings := int32(0)
	for j := from; j < (block+1)*Block && j < n; j++ {
		// This is Straddles(a, b, point j, q). The side of point j is known from the segment before.
		q := point[base+After(j, n)]
		nextSide := d.Cross(q.Sub(a))
		apart := kernel.Abs(side) > limit && kernel.Abs(nextSide) > limit && (side < 0) != (nextSide < 0)
		if apart && Straddles(point[base+j], q, a, b) {
			crossings++
		}
		side = nextSide
	}
	return crossings
}
