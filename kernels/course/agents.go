package course

import (
	"github.com/trackgen-go/trackgen/kernel"
	"github.com/trackgen-go/trackgen/kernels/localise"
	"github.com/trackgen-go/trackgen/kernels/polyline"
	"github.com/trackgen-go/trackgen/kernels/progress"
)

// follow follows every agent, of which each env has one, to its new position, past the checkpoints and along a line:
// see progress.Update and localise.Locate, whose columns it writes. room is the stride of the checkpoints, maxPoints
// and window belong to the line. One thread is one agent. kernelgen cannot prove that the columns of different agents
// have no element in common.
//
//kernel:thread
//kernel:unproven
//kernel:iterations followIterations(room, maxPoints, window)
func follow(i, agents, room, maxPoints, window int32, position, checkpoint, left, right, forward []kernel.Vec3,
	upHalf []float32, count []int32, previous []kernel.Vec3, integers []int32, floats []float32,
	index []kernel.Quat, lineIntegers []int32, lineFloats []float32) {
	progress.Update(i, agents, progress.CourseOf(i, room, count), position, checkpoint, left, right, forward, upHalf,
		previous, integers, floats)
	localise.Locate(i, agents, window, position[i], polyline.LineOf(i, 0, 1, maxPoints, index), index, lineIntegers,
		lineFloats)
}

// followRanked follows the agents of every env as follow does, and ranks them: see progress.Rank. Each env has perEnv
// agents, and all envs have the given number of agents. One group is one env. kernelgen cannot prove that the columns
// of different agents have no element in common.
//
//kernel:group lanes=32
//kernel:unproven
//kernel:iterations followRankedIterations(perEnv, room, maxPoints, window, lanes)
func followRanked(g kernel.Group, agents, perEnv, room, maxPoints, window int32, position, checkpoint, left, right,
	forward []kernel.Vec3, upHalf []float32, count []int32, previous []kernel.Vec3, integers []int32, floats []float32,
	index []kernel.Quat, lineIntegers []int32, lineFloats []float32) {
	course := progress.CourseOf(g.ID, room, count)
	line := polyline.LineOf(g.ID, 0, 1, maxPoints, index)
	first := g.ID * perEnv
	for k := range g.Each(perEnv) {
		progress.Update(first+k, agents, course, position, checkpoint, left, right, forward, upHalf, previous, integers,
			floats)
		localise.Locate(first+k, agents, window, position[first+k], line, index, lineIntegers, lineFloats)
	}
	for k := range g.Each(perEnv) {
		progress.Rank(first+k, first, perEnv, agents, course, checkpoint, integers, floats)
	}
}
