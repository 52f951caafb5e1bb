package checkpoint

import (
	"github.com/trackgen-go/trackgen/kernel"
	"github.com/trackgen-go/trackgen/kernels/centerline"
)

const (
	twoPi = 6.283185307179586

	// Salts of the random stream of a candidate's ring, multiplied in wrapping int32 (docs/spec/pipeline.md, section
	// 1).
	saltRing      = 4099
	saltCandidate = 2741
	offsetRing    = 1
)

// steer draws the candidates of each env: closed loops of numPoints points at equal distances, with a circumference of
// about 1. A candidate has random checkpoints around a circle, and a car is steered from each to the next. The loop
// turns as the path of the car does, and by one revolution in all (docs/spec/pipeline.md, section 4.5). One group is
// one env.
//
// Rows: ring with stride candidates*checkpoints; heading and point with stride candidates*numPoints; drift and mean
// with stride candidates. crossings, with stride candidates, is set to 0 for the kernel choose. turnRate is at most pi.
//
//kernel:group lanes=128
//kernel:iterations steerIterations(candidates, checkpoints, numPoints, lanes)
func steer(g kernel.Group, active []int32, seed []int32, candidates, checkpoints, numPoints int32,
	minRadius, angleJitter, turnRate, gain, lookahead float32,
	ring []kernel.Vec2, heading, drift []float32, mean, point []kernel.Vec2, crossings []int32) {
	if g.ID >= active[0] {
		return
	}
	env := active[g.ID+1]
	salt := seed[env]
	first := env * candidates
	base := first * numPoints

	for k := range g.Each(candidates) {
		DrawRing(RingSeed(salt, k), checkpoints, minRadius, angleJitter, (first+k)*checkpoints,
			ring)
	}
	for k := range g.Each(candidates) {
		row := base + k*numPoints
		last := drive(checkpoints, (first+k)*checkpoints, ring, numPoints, turnRate, gain, lookahead, row, heading)
		drift[first+k] = (twoPi - last) / float32(numPoints)
		crossings[first+k] = 0
	}

	// What is missing to one revolution is spread over the edges, and then what is missing to a closed loop.
	for j := range g.Each(candidates * numPoints) {
		k := j / numPoints
		i := j - k*numPoints
		sin, cos := kernel.Sincos(heading[base+j] + float32(float32(i)*drift[first+k]))
		point[base+j] = kernel.V2(cos/float32(numPoints), sin/float32(numPoints))
	}
	for k := range g.Each(candidates) {
		row := base + k*numPoints
		var x, y kernel.TwoFloat
		for i := int32(0); i < numPoints; i++ {
			edge := point[row+i]
			x = x.Add(edge.X)
			y = y.Add(edge.Y)
			point[row+i] = kernel.V2(x.Float32(), y.Float32())
		}
		mean[first+k] = kernel.V2(x.Float32()/float32(numPoints), y.Float32()/float32(numPoints))
	}
	for j := range g.Each(candidates * numPoints) {
		k := j / numPoints
		i := j - k*numPoints
		point[base+j] = point[base+j].Sub(mean[first+k].Scale(float32(i + 1)))
	}
}

// RingSeed returns the seed of the checkpoints of a candidate.
func RingSeed(seed, candidate int32) int32 {
	return seed*saltRing + candidate*saltCandidate + offsetRing
}

// DrawRing draws n checkpoints around a circle of radius 1 into ring[base..base+n). Each has a slot of its own, within
// which it is jittered.
func DrawRing(seed, n int32, minRadius, angleJitter float32, base int32, ring []kernel.Vec2) {
	slot := twoPi / float32(n)
	r := kernel.NewRand(seed)
	for c := int32(0); c < n; c++ {
		var u, v float32
		u, r = r.Uniform()
		v, r = r.Uniform()
		jitter := float32((float32(2*u) - 1) * angleJitter)
		sin, cos := kernel.Sincos(float32(float32(c)*slot) + float32(jitter*slot))
		ring[base+c] = kernel.V2(cos, sin).Scale(minRadius + float32(v*(1-minRadius)))
	}
}

// drive steers around the checkpoints ring[ringBase..ringBase+n) in points equal steps, which together are as long as
// the ring. It writes the direction of each edge of the closed path to heading[base..base+points), relative to the
// first edge, and returns the last one.
func drive(
	n, ringBase int32, ring []kernel.Vec2, points int32, turnRate, gain, lookahead float32, base int32,
	heading []float32,
) float32 {
	var length kernel.TwoFloat
	for c := int32(0); c < n; c++ {
		length = length.Add(ring[ringBase+centerline.After(c, n)].Sub(ring[ringBase+c]).Len())
	}
	step := length.Float32() / float32(points)
	start := ring[ringBase]
	position := start
	to := ring[ringBase+1].Sub(start)
	angle := kernel.Atan2(to.Y, to.X)
	initial := angle
	target := int32(1)
	for i := int32(0); i < points-1; i++ {
		to = ring[ringBase+target].Sub(position)
		if to.Len() < lookahead {
			target = centerline.After(target, n)
			to = ring[ringBase+target].Sub(position)
		}
		turn := float32(gain * centerline.WrapAngle(kernel.Atan2(to.Y, to.X)-angle))
		angle += kernel.Clamp(turn, -turnRate, turnRate)
		if i == 0 {
			initial = angle
		}
		heading[base+i] = angle - initial
		sin, cos := kernel.Sincos(angle)
		position = position.Add(kernel.V2(cos, sin).Scale(step))
	}
	to = start.Sub(position)
	last := (angle - initial) + centerline.WrapAngle(kernel.Atan2(to.Y, to.X)-angle)
	heading[base+points-1] = last
	return last
}
