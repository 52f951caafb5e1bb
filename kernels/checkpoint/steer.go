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

// steerEnvs is the most envs of a group of steer: with the default of four candidates, they fill the 32 lanes of a
// warp.
const steerEnvs = 8

// fewestGroups is how many groups of steer a launch has before they get more than one env.
const fewestGroups = 32

// SteerEnvs returns how many envs a group of steer gets, of envs in all, which have so many candidates each. A step of
// a car takes as long for 32 lanes as for one. Where there are few envs, they are left to many groups, for the cores of
// a CPU.
func SteerEnvs(envs, candidates int) int {
	return max(1, min(envs/fewestGroups, steerEnvs, steerEnvs*4/max(1, candidates)))
}

// steer draws the candidates of each env: closed loops of numPoints points at equal distances, with a circumference of
// about 1. A candidate has random checkpoints around a circle, and a car is steered from each to the next. The loop
// turns as the path of the car does, and by one revolution in all (docs/spec/pipeline.md, section 4.5). One group is
// perGroup envs, see SteerEnvs. kernelgen cannot prove that the rows of two envs are apart.
//
// Rows: ring with stride candidates*checkpoints; heading and point with stride candidates*numPoints; drift and mean
// with stride candidates. crossings, with stride candidates, is set to 0 for the kernel choose. turnRate is at most pi.
//
//kernel:group lanes=128
//kernel:unproven
//kernel:iterations steerIterations(perGroup, candidates, checkpoints, numPoints, lanes)
func steer(g kernel.Group, active []int32, seed []int32, perGroup, candidates, checkpoints, numPoints int32,
	minRadius, angleJitter, turnRate, gain, lookahead float32,
	ring []kernel.Vec2, heading, drift []float32, mean, point []kernel.Vec2, crossings []int32) {
	envs := min(active[0]-g.ID*perGroup, perGroup)
	if envs <= 0 {
		return
	}
	first := g.ID*perGroup + 1 // of the envs of the group, in active

	for k := range g.Each(envs * candidates) {
		row := rowOf(k, candidates, first, active)
		DrawRing(RingSeed(seed[active[first+k/candidates]], k%candidates), checkpoints, row*checkpoints, ring)
	}
	for e := int32(0); e < envs; e++ {
		base := active[first+e] * candidates * checkpoints
		for j := range g.Each(candidates * checkpoints) {
			ring[base+j] = PlaceCheckpoint(j%checkpoints, checkpoints, minRadius, angleJitter, ring[base+j])
		}
	}
	for k := range g.Each(envs * candidates) {
		row := rowOf(k, candidates, first, active)
		last := drive(checkpoints, row*checkpoints, ring, numPoints, turnRate, gain, lookahead, row*numPoints, heading)
		drift[row] = (twoPi - last) / float32(numPoints)
		crossings[row] = 0
	}

	// What is missing to one revolution is spread over the edges, and then what is missing to a closed loop.
	for e := int32(0); e < envs; e++ {
		row := active[first+e] * candidates
		base := row * numPoints
		for j := range g.Each(candidates * numPoints) {
			k := j / numPoints
			i := j - k*numPoints
			sin, cos := kernel.Sincos(heading[base+j] + float32(float32(i)*drift[row+k]))
			point[base+j] = kernel.V2(cos/float32(numPoints), sin/float32(numPoints))
		}
	}
	for k := range g.Each(envs * candidates) {
		row := rowOf(k, candidates, first, active)
		edge := sumEdges(numPoints, row*numPoints, point)
		mean[row] = edge
	}
	for e := int32(0); e < envs; e++ {
		row := active[first+e] * candidates
		base := row * numPoints
		for j := range g.Each(candidates * numPoints) {
			k := j / numPoints
			i := j - k*numPoints
			point[base+j] = point[base+j].Sub(mean[row+k].Scale(float32(i + 1)))
		}
	}
}

// rowOf returns the row of candidate k of the envs active[first], active[first+1] and so on.
func rowOf(k, candidates, first int32, active []int32) int32 {
	return active[first+k/candidates]*candidates + k%candidates
}

// sumEdges replaces the n edges of a path, point[base..base+n), by their ends, and returns the mean edge. As in
// centerline.SumLengths, some edges are loaded before the first of them is replaced.
func sumEdges(n, base int32, point []kernel.Vec2) kernel.Vec2 {
	var x, y kernel.TwoFloat
	last := base + n
	k := base
	for ; k+1 < last; k += 2 {
		one := point[k]
		two := point[k+1]
		x = x.Add(one.X)
		y = y.Add(one.Y)
		point[k] = kernel.V2(x.Float32(), y.Float32())
		x = x.Add(two.X)
		y = y.Add(two.Y)
		point[k+1] = kernel.V2(x.Float32(), y.Float32())
	}
	if k < last {
		x = x.Add(point[k].X)
		y = y.Add(point[k].Y)
		point[k] = kernel.V2(x.Float32(), y.Float32())
	}
	return kernel.V2(x.Float32()/float32(n), y.Float32()/float32(n))
}

// RingSeed returns the seed of the checkpoints of a candidate.
func RingSeed(seed, candidate int32) int32 {
	return seed*saltRing + candidate*saltCandidate + offsetRing
}

// DrawRing draws the two random numbers, from 0 to 1, of each of n checkpoints into ring[base..base+n). Each draw
// depends on the one before. What PlaceCheckpoint makes of them takes longer, and is done for all checkpoints side by
// side.
func DrawRing(seed, n, base int32, ring []kernel.Vec2) {
	r := kernel.NewRand(seed)
	for c := int32(0); c < n; c++ {
		var u, v float32
		u, r = r.Uniform()
		v, r = r.Uniform()
		ring[base+c] = kernel.V2(u, v)
	}
}

// PlaceCheckpoint returns checkpoint c of n from its random numbers. Checkpoints lie around a circle of radius 1, each
// in a slot of its own, within which it is jittered.
func PlaceCheckpoint(c, n int32, minRadius, angleJitter float32, drawn kernel.Vec2) kernel.Vec2 {
	slot := twoPi / float32(n)
	jitter := float32((float32(2*drawn.X) - 1) * angleJitter)
	sin, cos := kernel.Sincos(float32(float32(c)*slot) + float32(jitter*slot))
	return kernel.V2(cos, sin).Scale(minRadius + float32(drawn.Y*(1-minRadius)))
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
