package distancefield

import (
	"github.com/trackgen-go/trackgen/kernel"
	"github.com/trackgen-go/trackgen/kernel/iterations"
	"github.com/trackgen-go/trackgen/kernels/obstacle"
)

// queryWithAgents does what query does, and tests each box against the other boxes of its env: see
// obstacle.UpdateAgents, whose columns are those of the other arrays. One group is the boxes of some envs, perGroup
// boxes: see obstacle.BoxesOfGroup. With swept 1, previous has the positions [n] of the boxes at the launch before, and
// then those of this one.
//
//kernel:group lanes=32
//kernel:unproven
//kernel:iterations queryWithAgentsIterations(boxes, perGroup, lanes)
func queryWithAgents(g kernel.Group, n, boxes, perGroup, side, swept int32, position, previous []kernel.Vec3,
	orientation []kernel.Quat, half []kernel.Vec2, phi []float32, boundary []int32, low, high []kernel.Vec2,
	integers []int32, floats []float32, vectors []kernel.Vec2,
	otherIntegers []int32, otherFloats []float32, otherVectors []kernel.Vec2) {
	first := g.ID * perGroup
	size := obstacle.SizeOfGroup(first, perGroup, n)
	for k := range g.Each(size) {
		UpdateBox(first+k, (first+k)/boxes, n, side, position, orientation, half, phi, boundary, low, high, integers,
			floats, vectors)
	}
	for k := range g.Each(size) {
		obstacle.UpdateAgents(first+k, (first+k)/boxes, n, boxes, swept, position, previous, orientation, half,
			otherIntegers, otherFloats, otherVectors)
	}
	for k := range g.Each(size) {
		if swept == 1 {
			previous[first+k] = position[first+k]
		}
	}
}

// queryWithAgentsIterations bounds the kernel queryWithAgents.
func queryWithAgentsIterations(boxes, perGroup, lanes float64) float64 {
	return iterations.Phase(perGroup, lanes, 5) + iterations.Phase(perGroup, lanes, obstacle.AgentIterations(boxes)) +
		iterations.Phase(perGroup, lanes, 0)
}
