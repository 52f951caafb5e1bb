package borders

import (
	"github.com/trackgen-go/trackgen/kernel"
	"github.com/trackgen-go/trackgen/kernels/obstacle"
)

// queryWithAgents does what query does, and tests each box against the other boxes of its env: see
// obstacle.UpdateAgents, whose columns are those of the other arrays. One group is the boxes of some envs, perGroup
// boxes: see obstacle.BoxesOfGroup.
//
//kernel:group lanes=32
//kernel:unproven
//kernel:iterations queryWithAgentsIterations(boxes, perGroup, maxPoints, lanes)
func queryWithAgents(g kernel.Group, boxes, perGroup, total, fetch, maxPoints int32, position []kernel.Vec3,
	orientation []kernel.Quat, halfExtents []kernel.Vec2, index []kernel.Quat, integers []int32, floats []float32,
	points []kernel.Vec2, otherIntegers []int32, otherFloats []float32, otherVectors []kernel.Vec2) {
	first := g.ID * perGroup
	n := obstacle.SizeOfGroup(first, perGroup, total)
	for k := range g.Each(n) {
		Update(first+k, (first+k)/boxes, total, fetch, maxPoints, position, orientation, halfExtents, index, integers, floats,
			points)
	}
	for k := range g.Each(n) {
		obstacle.UpdateAgents(first+k, (first+k)/boxes, total, boxes, 0, position, position, orientation, halfExtents,
			otherIntegers, otherFloats, otherVectors)
	}
}

// querySweptWithAgents is queryWithAgents with swept motion: see UpdateSwept. previous has the positions [total] of the
// boxes at the launch before, and then those of this one.
//
//kernel:group lanes=32
//kernel:unproven
//kernel:iterations querySweptWithAgentsIterations(boxes, perGroup, maxPoints, lanes)
func querySweptWithAgents(g kernel.Group, boxes, perGroup, total, fetch, maxPoints int32,
	position, previous []kernel.Vec3, orientation []kernel.Quat,
	halfExtents []kernel.Vec2, index []kernel.Quat, integers []int32, floats []float32,
	points []kernel.Vec2, otherIntegers []int32, otherFloats []float32, otherVectors []kernel.Vec2) {
	first := g.ID * perGroup
	n := obstacle.SizeOfGroup(first, perGroup, total)
	for k := range g.Each(n) {
		UpdateSwept(first+k, (first+k)/boxes, total, fetch, maxPoints, position, orientation, halfExtents, index, integers,
			floats, points)
	}
	for k := range g.Each(n) {
		obstacle.UpdateAgents(first+k, (first+k)/boxes, total, boxes, 1, position, previous, orientation, halfExtents,
			otherIntegers, otherFloats, otherVectors)
	}
	for k := range g.Each(n) {
		previous[first+k] = position[first+k]
	}
}
