package centerline

import "github.com/trackgen-go/trackgen/kernel"

const (
	twoPi = 6.283185307179586

	minRadius = 0.1 // smallest radius of a polar knot, before scaling
)

// Limits of DrawKnots: a spline needs so many knots, and with more jitter they would come close to the origin, or
// change their order.
const (
	MinKnots         = 4
	MaxRadialJitter  = 0.85
	MaxAngularJitter = 0.45
)

// polar draws one closed loop per env: a closed Catmull-Rom spline through knots on a jittered circle. It resamples the
// spline to numPoints points of equal arc length, and centres and scales it to a box whose longer side is 1.44 scale
// (docs/spec/pipeline.md, section 4.3). One group is one env.
//
// Scratch rows: knot with stride knots, dense and end with stride knots*samples. box [2*E] is the bounding box.
//
//kernel:group lanes=128
//kernel:iterations polarIterations(knots, samples, numPoints, lanes)
func polar(g kernel.Group, active []int32, seed []int32, knots, samples, numPoints int32,
	radialJitter, angularJitter, scale float32,
	knot, dense []kernel.Vec2, end []float32, box []kernel.Vec2, loop []kernel.Vec2) {
	var lo, hi [boxShares]kernel.Vec2 // corners of the box around each share of the points
	if g.ID >= active[0] {
		return
	}
	env := active[g.ID+1]
	base := env * knots
	denseBase := env * knots * samples
	loopBase := env * numPoints

	for range g.Each(1) {
		DrawKnots(seed[env], knots, base, knot)
	}
	for k := range g.Each(knots) {
		knot[base+k] = PlaceKnot(k, knots, radialJitter, angularJitter, knot[base+k])
	}
	for k := range g.Each(knots * samples) {
		i := k / samples
		after := After(i, knots)
		u := float32(k-i*samples) / float32(samples)
		dense[denseBase+k] = CatmullRom(
			knot[base+Before(i, knots)], knot[base+i], knot[base+after], knot[base+After(after, knots)], u)
	}
	for k := range g.Each(knots * samples) {
		end[denseBase+k] = SegmentLength(k, knots*samples, denseBase, dense)
	}
	for range g.Each(1) {
		SumLengths(knots*samples, denseBase, end)
	}
	for k := range g.Each(numPoints) {
		target := float32(float32(k)*end[denseBase+knots*samples-1]) / float32(numPoints)
		loop[loopBase+k] = PointAtArc(knots*samples, denseBase, dense, end, target)
	}
	for s := range g.Each(boxShares) {
		lo[s], hi[s] = boxOfShare(s, numPoints, loopBase, loop)
	}
	for range g.Each(1) {
		box[2*env], _ = BoundingBox(boxShares, 0, lo[:])
		_, box[2*env+1] = BoundingBox(boxShares, 0, hi[:])
	}
	middle, factor := Fit(box[2*env], box[2*env+1], scale)
	for k := range g.Each(numPoints) {
		loop[loopBase+k] = loop[loopBase+k].Sub(middle).Scale(factor)
	}
}

// DrawKnots draws the two random numbers, from 0 to 1, of each of n knots into knot[base..base+n). Each draw depends on
// the one before. What PlaceKnot makes of them takes longer, and is done for all knots side by side.
func DrawKnots(seed, n, base int32, knot []kernel.Vec2) {
	r := kernel.NewRand(seed*saltPolarKnots + saltPolarOffset)
	for k := int32(0); k < n; k++ {
		var u, v float32
		u, r = r.Uniform()
		v, r = r.Uniform()
		knot[base+k] = kernel.V2(u, v)
	}
}

// PlaceKnot returns knot k of n from its random numbers: all are on a jittered circle of radius 1, counter-clockwise.
func PlaceKnot(k, n int32, radialJitter, angularJitter float32, drawn kernel.Vec2) kernel.Vec2 {
	radius := kernel.Max(1+float32((float32(2*drawn.X)-1)*radialJitter), minRadius)
	jitter := float32((float32(2*drawn.Y) - 1) * angularJitter)
	sin, cos := kernel.Sincos(float32(twoPi*(float32(k)+jitter)) / float32(n))
	return kernel.V2(float32(radius*cos), float32(radius*sin))
}
