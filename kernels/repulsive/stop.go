package repulsive

import (
	"github.com/trackgen-go/trackgen/kernel"
	"github.com/trackgen-go/trackgen/kernels/centerline"
)

// stop ends the growth of curves of points points after last iterations. If all is not 0, all of them stop. Else those
// stop that have reached their length and whose area has changed by less than the part areaTolerance since the last
// call; area [E] is the area at the last call. One group is one env.
//
// A curve that stops is spread evenly spreads times and scaled by scale. iterations [E] is set to last, and no later
// launch changes the curve. Where an env goes on, unfinished[0] is set.
//
//kernel:group lanes=128
//kernel:iterations stopIterations(points, spreads, lanes)
func stop(g kernel.Group, active []int32, stride, points, last, spreads, all int32, areaTolerance, scale float32,
	lengthEnd, lengthNow, area []float32, curve []kernel.Vec2, iterations, unfinished []int32) {
	var x, even [MaxPoints]kernel.Vec2
	var arc [MaxPoints]float32 // arc length at the end of each edge
	var part [blocks]float32

	if g.ID >= active[0] {
		return
	}
	env := active[g.ID+1]
	if iterations[env] != 0 {
		return // it has stopped
	}
	base := env * stride
	n := points
	for i := range g.Each(n) {
		x[i] = curve[base+i]
	}
	for b := range g.Each(blocks) {
		var sum float32
		for i := b * share; i < (b+1)*share && i < n; i++ {
			sum += x[i].Cross(x[centerline.After(i, n)])
		}
		part[b] = sum
	}
	sum := float32(0)
	for b := int32(0); b < blocks; b++ {
		sum += part[b]
	}
	enclosed := kernel.Abs(float32(0.5 * sum))
	earlier := area[env]
	still := lengthNow[env] >= lengthEnd[env] && kernel.Abs(enclosed-earlier) < float32(areaTolerance*earlier)
	if all == 0 && !still {
		for range g.Each(1) {
			area[env] = enclosed
			kernel.AtomicOr(unfinished, 0, 1)
		}
		return
	}
	for k := int32(0); k < spreads; k++ {
		for i := range g.Each(n) {
			arc[i] = centerline.SegmentLength(i, n, 0, x[:])
		}
		for range g.Each(1) {
			centerline.SumLengths(n, 0, arc[:])
		}
		for i := range g.Each(n) {
			even[i] = centerline.PointAtArc(n, 0, x[:], arc[:], float32(float32(i)*arc[n-1])/float32(n))
		}
		for i := range g.Each(n) {
			x[i] = even[i]
		}
	}
	for i := range g.Each(n) {
		curve[base+i] = centerline.OneNaN(x[i].Scale(scale))
	}
	for range g.Each(1) {
		iterations[env] = last
	}
}
