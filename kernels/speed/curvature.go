package speed

import (
	"github.com/trackgen-go/trackgen/kernel"
	"github.com/trackgen-go/trackgen/kernels/centerline"
	"github.com/trackgen-go/trackgen/kernels/vector"
)

const (
	// leastPoints is the smallest number of points of a closed line.
	leastPoints = 3

	// minChord keeps the division by the length of a chord finite (C-85).
	minChord = 1e-9
)

// curvature measures the curvature at each point of the lines of the active envs, > 0 where they turn
// counter-clockwise: the angle between the chords before and after the point, by the mean of their lengths. It is the
// mean over 2*window+1 neighbours, but over no point twice (C-85). raw has the values before the mean.
//
// One group is one env. All arrays but count have the stride maxPoints. out is NaN from count on, and in the whole row
// of a line of fewer than 3 points.
//
//kernel:group lanes=64
//kernel:iterations curvatureIterations(maxPoints, window, lanes)
func curvature(g kernel.Group, active []int32, maxPoints, window int32, center []kernel.Vec3, count []int32,
	raw, out []float32) {
	if g.ID >= active[0] {
		return
	}
	env := active[g.ID+1]
	base := env * maxPoints
	n := PointsOf(count[env], maxPoints)
	for i := range g.Each(n) {
		p := center[base+i]
		raw[base+i] = Bend(p.Sub(center[base+centerline.Before(i, n)]), center[base+centerline.After(i, n)].Sub(p))
	}
	span := min(2*window+1, n)
	for i := range g.Each(maxPoints) {
		k := kernel.NaN()
		if i < n {
			k = vector.OneNaN(raw[base+i])
			if window > 0 {
				k = vector.OneNaN(meanFrom((i-window)%n, span, n, base, raw))
			}
		}
		out[base+i] = k
	}
}

// PointsOf returns the number of points of a line, 0 for a line that is not closed.
func PointsOf(count, maxPoints int32) int32 {
	n := min(count, maxPoints)
	if n < leastPoints {
		return 0
	}
	return n
}

// meanFrom returns the mean of span of n values on a loop, from value first on, which may be as far below 0 as n.
func meanFrom(first, span, n, base int32, value []float32) float32 {
	at := first
	if at < 0 {
		at += n
	}
	sum := float32(0)
	for j := int32(0); j < span; j++ {
		sum += value[base+at]
		at = centerline.After(at, n)
	}
	return sum / float32(span)
}

// Bend returns the curvature between two successive chords.
func Bend(before, after kernel.Vec3) float32 {
	turn := kernel.Atan2(before.Cross(after).Z, before.Dot(after))
	return turn / kernel.Max(float32(0.5*(before.Len()+after.Len())), minChord)
}
