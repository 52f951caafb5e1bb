// Package kernels shows kernels of one's own, outside of TrackGen's module: the speed that each corner of a racing line
// allows, and the best speed that a car reaches along the line. Each kernel is written once, in Go; kernelgen derives what
// the other backends run.
package kernels

import "github.com/trackgen-go/trackgen/kernel"

//go:generate go tool kernelgen .

// cornerSpeed limits the speed at every point of closed lines by the grip in its corner: the centripetal acceleration
// v^2 times curvature is at most grip. Straights get top. One thread per point; point and speed have the stride count.
//
//kernel:thread
func cornerSpeed(i int32, count int32, point []kernel.Vec2, grip, top float32, speed []float32) {
	line := i / count
	k := i - line*count
	before := point[line*count+(k+count-1)%count]
	here := point[i]
	after := point[line*count+(k+1)%count]
	bend := curvature(before, here, after)
	limit := top
	if float32(bend*top)*top > grip {
		limit = kernel.Sqrt(grip / bend)
	}
	speed[i] = limit
}

// curvature returns one over the radius of the circle through three points (Menger).
func curvature(a, b, c kernel.Vec2) float32 {
	ab := b.Sub(a)
	bc := c.Sub(b)
	sides := float32(float32(ab.Len()*bc.Len()) * c.Sub(a).Len())
	return float32(2*kernel.Abs(ab.Cross(bc))) / kernel.Max(sides, 1e-12)
}

// maxPoints is the most points of a line that lapSpeed takes.
const maxPoints = 512

// lapSpeed lowers the speed at each point of closed lines of count points until a car with this acceleration, forward and
// in braking, can follow it, and stores the time of the lap. One group per line; a phase lets every point look at both
// neighbours, from one half of a shared array to the other.
//
//kernel:group lanes=128
//kernel:iterations (count + 2)*(count/lanes + 2) + 2*count + 4
func lapSpeed(g kernel.Group, count int32, point []kernel.Vec2, acceleration float32, speed, lapTime []float32) {
	var v [2][maxPoints]float32
	var step [maxPoints]float32
	base := g.ID * count
	for i := range g.Each(count) {
		v[0][i] = speed[base+i]
		step[i] = point[base+(i+1)%count].Sub(point[base+i]).Len()
	}
	cur := int32(0)
	for pass := int32(0); pass < count; pass++ {
		for i := range g.Each(count) {
			before := (i + count - 1) % count
			after := (i + 1) % count
			reachable := kernel.Min(
				reach(v[cur][before], acceleration, step[before]),
				reach(v[cur][after], acceleration, step[i]))
			v[1-cur][i] = kernel.Min(v[cur][i], reachable)
		}
		cur = 1 - cur
	}
	time := float32(0)
	for i := int32(0); i < count; i++ {
		next := i + 1
		if next == count {
			next = 0
		}
		time += float32(2*step[i]) / (v[cur][i] + v[cur][next])
	}
	for i := range g.Each(count) {
		speed[base+i] = v[cur][i]
	}
	for range g.Each(1) {
		lapTime[g.ID] = time
	}
}

// reach returns the speed after a distance under constant acceleration.
func reach(speed, acceleration, distance float32) float32 {
	return kernel.Sqrt(float32(speed*speed) + float32(2*acceleration*distance))
}
