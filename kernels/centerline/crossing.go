package centerline

import "github.com/trackgen-go/trackgen/kernel"

// crossTolerance is the part of a segment's squared length by which both ends of the other segment must lie clearly on
// either side of it (PIPELINE.md section 4.0).
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

// CrossingsFrom counts the later segments of the closed polygon point[base..base+n) that segment i crosses properly and
// that are not its neighbours. boxLo and boxHi hold the boxes of blocks of segments, from boxBase on. Segments whose boxes
// are apart cannot cross: rounding in Straddles is far below its tolerance.
func CrossingsFrom(i, n, base int32, point []kernel.Vec2, boxBase int32, boxLo, boxHi []kernel.Vec2) int32 {
	a := point[base+i]
	b := point[base+After(i, n)]
	lo := kernel.V2(kernel.Min(a.X, b.X), kernel.Min(a.Y, b.Y))
	hi := kernel.V2(kernel.Max(a.X, b.X), kernel.Max(a.Y, b.Y))
	crossings := int32(0)
	for first := (i / Block) * Block; first < n; first += Block {
		bl := boxLo[boxBase+first/Block]
		bh := boxHi[boxBase+first/Block]
		if bl.X > hi.X || bh.X < lo.X || bl.Y > hi.Y || bh.Y < lo.Y {
			continue
		}
		for j := first; j < first+Block && j < n; j++ {
			// The neighbours i-1, i, i+1 share an end with segment i.
			if j <= i+1 || (i == 0 && j == n-1) {
				continue
			}
			if SegmentsCross(a, b, point[base+j], point[base+After(j, n)]) {
				crossings++
			}
		}
	}
	return crossings
}
