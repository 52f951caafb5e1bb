package centerline

import "github.com/trackgen-go/trackgen/kernel"

// minSegment keeps the division by a segment's length finite (docs/spec/pipeline.md, section 4.0).
const minSegment = 1e-12

// SegmentLength returns the length of segment k of the closed polygon point[base..base+n), which goes from point k to
// point k+1.
func SegmentLength(k, n, base int32, point []kernel.Vec2) float32 {
	return point[base+After(k, n)].Sub(point[base+k]).Len()
}

// SumLengths replaces the lengths end[base..base+n) of the segments of a polygon by arc lengths: end[base+k] becomes
// the length up to the end of segment k. It returns the total. Each value has the error of its final rounding alone.
//
// Sums depend on their order, so one lane makes them all, while the others of its group wait; lengths are computed in a
// phase before. Four are loaded before the first of them is replaced, since a load after each store would wait for it.
func SumLengths(n, base int32, end []float32) float32 {
	var sum kernel.TwoFloat
	last := base + n
	k := base
	for ; k+3 < last; k += 4 {
		first := end[k]
		second := end[k+1]
		third := end[k+2]
		fourth := end[k+3]
		sum = sum.Add(first)
		end[k] = sum.Float32()
		sum = sum.Add(second)
		end[k+1] = sum.Float32()
		sum = sum.Add(third)
		end[k+2] = sum.Float32()
		sum = sum.Add(fourth)
		end[k+3] = sum.Float32()
	}
	for ; k < last; k++ {
		sum = sum.Add(end[k])
		end[k] = sum.Float32()
	}
	return sum.Float32()
}

// PlaceAtArc returns the place at arc length target of a closed polygon of n points, with end[base..base+n) from
// SumLengths: the first segment that ends at target or later, and the fraction of it before the place, from 0 to 1. A
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

// PointAtArc returns the point of the closed polygon point[base..base+n) at arc length target, linearly interpolated on
// the segment of PlaceAtArc.
func PointAtArc(n, base int32, point []kernel.Vec2, end []float32, target float32) kernel.Vec2 {
	i, t := PlaceAtArc(n, base, end, target)
	p := point[base+i]
	return p.Add(point[base+After(i, n)].Sub(p).Scale(t))
}
