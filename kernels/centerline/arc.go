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

// PlaceAtArc returns the place at arc length target of a closed polygon of n points, with end[base..base+n) from
// ArcEnds: the first segment that ends at target or later, and the fraction of it before the place, from 0 to 1. A
// target beyond the polygon gives the nearest end of it.
func PlaceAtArc(n, base int32, end []float32, target float32) (int32, float32) {
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
	return lo, kernel.Clamp((target-start)/kernel.Max(end[base+lo]-start, minSegment), 0, 1)
}

// PointAtArc returns the point of the closed polygon point[base..base+n) at arc length target, with end from ArcEnds,
// linearly interpolated on the segment of PlaceAtArc.
func PointAtArc(n, base int32, point []kernel.Vec2, end []float32, target float32) kernel.Vec2 {
	i, t := PlaceAtArc(n, base, end, target)
	p := point[base+i]
	return p.Add(point[base+After(i, n)].Sub(p).Scale(t))
}
