package gate

import (
	"github.com/trackgen-go/trackgen/kernel"
	"github.com/trackgen-go/trackgen/kernels/centerline"
)

// Salts of the draw of the number of points on a loop: the random stream starts from seed*9277+71, in wrapping int32.
// No other stage uses them.
const (
	saltSpread   = 9277
	offsetSpread = 71
)

// spread places control points on a closed loop at equal arc length; the first one is the first point of the loop.
// Their number is from minCount to maxCount. One group is one env.
//
// Rows: loop and end with stride loopPoints; point with stride stride >= maxCount. count [E] is the number of control
// points.
//
//kernel:group lanes=32
//kernel:iterations spreadIterations(loopPoints, maxCount, lanes)
func spread(g kernel.Group, active, seed []int32, minCount, maxCount, loopPoints, stride int32, loop []kernel.Vec2,
	end []float32, count []int32, point []kernel.Vec2) {
	if g.ID >= active[0] {
		return
	}
	var length [1]float32
	env := active[g.ID+1]
	base := env * loopPoints
	n := centerline.CornerCount(seed[env]*saltSpread+offsetSpread, minCount, maxCount)
	for k := range g.Each(loopPoints) {
		end[base+k] = centerline.SegmentLength(k, loopPoints, base, loop)
	}
	for range g.Each(1) {
		total := centerline.SumLengths(loopPoints, base, end)
		length[0] = total
		count[env] = n
	}
	for i := range g.Each(n) {
		target := float32(float32(i)*length[0]) / float32(n)
		point[env*stride+i] = centerline.PointAtArc(loopPoints, base, loop, end, target)
	}
}
