package centerline

import "github.com/trackgen-go/trackgen/kernel"

// minSegment keeps the division by a segment's length finite (docs/spec/pipeline.md, section 4.0).
const minSegment = 1e-12

// ArcEnds stores the arc lengths of the closed polygon point[base..base+n): end[base+k] is the length up to the end of
// segment k, which goes from point k to point k+1. It returns the total. Each value has the error of its final rounding
// alone.
func ArcEnds(n, base int32, point []kernel.Vec2, end []float32) float32 {
	var sum kernel.TwoFloat
	total := float32(0)
	for k := int32(0); k < n; k++ {
		next := After(k, n)
		sum = sum.Add(point[base+next].Sub(point[base+k]).Len())
		total = sum.Float32()
		end[base+k] = total
	}
	return total
}

// PointAtArc returns the point at arc length target of the closed polygon point[base..base+n), with end from ArcEnds.
// The point is interpolated on the first segment that ends at target or later. A target beyond the polygon gives the
// nearest end of it.
func PointAtArc(n, base int32, point []kernel.Vec2, end []float32, target float32) kernel.Vec2 {
	lo := int32(0)
	hi := n - 1
	for lo < hi {
		middle := (lo + hi) / 2
		if end[base+middle] >= target {
			hi = middle
		} else {
			lo = middle + 1
		}
	}
	start := float32(0)
	if lo > 0 {
		start = end[base+lo-1]
	}
	next := After(lo, n)
	t := kernel.Clamp((target-start)/kernel.Max(end[base+lo]-start, minSegment), 0, 1)
	p := point[base+lo]
	return p.Add(point[base+next].Sub(p).Scale(t))
}
