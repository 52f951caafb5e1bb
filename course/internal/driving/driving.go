// Package driving holds the kernels that stand for a simulator in the tests of courses: cars that follow the
// centrelines of their tracks, leave the road now and then, and episodes that end.
package driving

import "github.com/trackgen-go/trackgen/kernel"

//go:generate go run ../../../cmd/kernelgen .

// drive moves every agent along the centreline of its env, by one to three points in a step, and to either side by up
// to reach. Where the last step has ended the episode of an env, its agents begin at the start again. One thread per
// agent; position, orientation and clock are [E*agents], done and count [E], center has the stride maxPoints.
//
//kernel:thread
func drive(i, agents, maxPoints int32, reach float32, count []int32, center []kernel.Vec3, done, clock []int32,
	position []kernel.Vec3, orientation []kernel.Quat) {
	e := i / agents
	if done[e] != 0 {
		clock[i] = 0
	}
	clock[i]++
	n := count[e]
	if n < 2 {
		return
	}
	bits := kernel.Hash(uint32(i) ^ kernel.Hash(uint32(clock[i])))
	at := (clock[i]*(1+i%3) + n - 3) % n // the first step begins before the first checkpoint
	p := center[e*maxPoints+at]
	next := center[e*maxPoints+(at+1)%n]
	ahead := kernel.V2(next.X-p.X, next.Y-p.Y)
	length := kernel.Max(kernel.Sqrt(float32(ahead.X*ahead.X)+float32(ahead.Y*ahead.Y)), 1e-6)
	ahead = kernel.V2(ahead.X/length, ahead.Y/length)
	side := float32(reach * (float32(float32(int32(bits>>8))*(1.0/(1<<23))) - 1))
	position[i] = kernel.V3(p.X+float32(ahead.Y*side), p.Y-float32(ahead.X*side), p.Z)
	// Half of the angle of travel.
	w := kernel.Sqrt(kernel.Max(0.5+float32(0.5*ahead.X), 0))
	z := kernel.Sqrt(kernel.Max(0.5-float32(0.5*ahead.X), 0))
	if ahead.Y < 0 {
		z = -z
	}
	orientation[i] = kernel.Quat{X: 0, Y: 0, Z: z, W: w}
}

// judge ends the episode of an env when its first agent has finished a lap, is out of bounds, or after a random time.
// One thread per env; laps and outside are [E*agents], with 0 in outside for agents on the road.
//
//kernel:thread
func judge(e, agents int32, laps, outside, clock, done []int32) {
	i := e * agents
	ends := int32(0)
	if laps[i] > 0 || outside[i] != 0 || kernel.Hash(uint32(i)+kernel.Hash(uint32(clock[i])))%16 == 0 {
		ends = 1
	}
	done[e] = ends
}
