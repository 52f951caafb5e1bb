package progress

import (
	"github.com/trackgen-go/trackgen/kernel"
	"github.com/trackgen-go/trackgen/kernels/vector"
)

// Course says where the checkpoints of an env are: elements Base to Base+N-1 of their arrays.
type Course struct{ Base, N int32 }

// CourseOf returns the checkpoints of an env, whose rows have stride room. A count may be any number.
func CourseOf(env, room int32, count []int32) Course {
	n := count[env]
	if n > room {
		n = room
	}
	return Course{Base: env * room, N: n}
}

// follow follows every agent, of which each env has one, to its new position: see Update. kernelgen
// cannot prove that the columns of different agents have no element in common.
//
//kernel:thread
//kernel:unproven
//kernel:iterations followIterations(room)
func follow(i, agents, room int32, position, checkpoint, left, right, forward []kernel.Vec3, upHalf []float32,
	count []int32, previous []kernel.Vec3, integers []int32, floats []float32) {
	Update(i, agents, CourseOf(i, room, count), position, checkpoint, left, right, forward, upHalf, previous, integers,
		floats)
}

// followRanked follows the agents of every env to their new positions, and ranks them: see Update and Rank. Each env
// has perEnv agents, and all envs have the given number of agents. One group is one env. kernelgen cannot prove that
// the columns of different agents have no element in common.
//
//kernel:group lanes=32
//kernel:unproven
//kernel:iterations followRankedIterations(perEnv, room, lanes)
func followRanked(g kernel.Group, agents, perEnv, room int32, position, checkpoint, left, right, forward []kernel.Vec3,
	upHalf []float32, count []int32, previous []kernel.Vec3, integers []int32, floats []float32) {
	course := CourseOf(g.ID, room, count)
	first := g.ID * perEnv
	for k := range g.Each(perEnv) {
		Update(first+k, agents, course, position, checkpoint, left, right, forward, upHalf, previous, integers, floats)
	}
	for k := range g.Each(perEnv) {
		Rank(first+k, first, perEnv, agents, course, checkpoint, integers, floats)
	}
}

// Update follows one agent to its new position (C-61): it reports what has happened on the way from the previous one,
// and advances the state. agent is its index among the given number of agents of all envs. checkpoint has the positions
// of the checkpoints.
func Update(agent, agents int32, course Course, position, checkpoint, left, right, forward []kernel.Vec3,
	upHalf []float32, previous []kernel.Vec3, integers []int32, floats []float32) {
	before := previous[agent]
	now := position[agent]
	if vector.HasNaN(now) {
		now = kernel.V3(kernel.NaN(), kernel.NaN(), kernel.NaN())
	}
	previous[agent] = now
	goal := integers[Target*agents+agent]
	laps := integers[LapsSoFar*agents+agent]
	total := integers[Total*agents+agent]
	way := int32(0)
	wrong := int32(-1)
	if course.N >= 1 {
		if goal < 0 || goal >= course.N {
			goal = 0
		}
		if !vector.HasNaN(before) && !vector.HasNaN(now) {
			way = pass(course.Base+goal, before, now, left, right, forward, upHalf)
			wrong = firstOther(goal, course, before, now, left, right, forward, upHalf)
		}
	}
	target := goal
	passed := int32(-1)
	if way > 0 {
		passed = goal
		total++
		target++
		if target == course.N {
			target = 0
			laps++
		}
	}
	distance := kernel.NaN()
	if course.N >= 1 {
		distance = vector.OneNaN(checkpoint[course.Base+target].Sub(now).Len())
	}
	integers[Passed*agents+agent] = flag(way > 0)
	integers[CheckpointPassed*agents+agent] = passed
	integers[NextCheckpoint*agents+agent] = target
	integers[Laps*agents+agent] = laps
	integers[Progress*agents+agent] = total
	integers[WrongWay*agents+agent] = flag(way < 0)
	integers[WrongCheckpoint*agents+agent] = wrong
	integers[Target*agents+agent] = target
	integers[LapsSoFar*agents+agent] = laps
	integers[Total*agents+agent] = total
	floats[DistToNext*agents+agent] = distance
}

// firstOther returns the first checkpoint other than goal that the way from before to now goes through, or -1. It tests
// the planes itself, before it calls pass, because a way crosses few of them.
func firstOther(goal int32, course Course, before, now kernel.Vec3, left, right, forward []kernel.Vec3,
	upHalf []float32) int32 {
	for i := int32(0); i < course.N; i++ {
		k := course.Base + i
		middle := left[k].Add(right[k]).Scale(0.5)
		d0 := before.Sub(middle).Dot(forward[k])
		d1 := now.Sub(middle).Dot(forward[k])
		if crossing(d0, d1) != 0 && i != goal && pass(k, before, now, left, right, forward, upHalf) != 0 {
			return i
		}
	}
	return -1
}

// flag returns 1 if a condition holds, else 0.
func flag(condition bool) int32 {
	if condition {
		return 1
	}
	return 0
}
