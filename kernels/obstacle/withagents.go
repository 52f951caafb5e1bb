package obstacle

import "github.com/trackgen-go/trackgen/kernel"

// leastBoxes is the least number of boxes of a group, unless the batch has fewer: the lanes of the group.
const leastBoxes = 32

// BoxesOfGroup returns how many boxes are one group of a kernel that tests boxes against the other boxes of their env:
// those of as many envs as have leastBoxes boxes at most, and of at least one env. An env is never in two groups, so a
// kernel can write the positions of its boxes after all of them have read those of the others.
func BoxesOfGroup(boxes int) int { return max(1, leastBoxes/boxes) * boxes }

// Groups returns the number of groups for the boxes of a number of envs.
func Groups(envs, boxes int) int {
	each := BoxesOfGroup(boxes) / boxes
	return (envs + each - 1) / each
}

// SizeOfGroup returns the number of boxes of the group that begins with box first, of total boxes.
func SizeOfGroup(first, perGroup, total int32) int32 {
	if total-first < perGroup {
		return total - first
	}
	return perGroup
}

// touchDiscsAndAgents tests each box against the discs of its env and against its other boxes: see UpdateDiscs and
// UpdateAgents, whose columns are those of the other arrays. One group is the boxes of some envs, perGroup boxes: see
// BoxesOfGroup. With swept 1, previous has the positions [n] of the boxes at the launch before, and then those of this
// one.
//
//kernel:group lanes=32
//kernel:unproven
//kernel:iterations touchDiscsAndAgentsIterations(boxes, perGroup, discs, lanes)
func touchDiscsAndAgents(g kernel.Group, n, boxes, perGroup, discs int32, radius float32, swept int32,
	position, previous []kernel.Vec3, orientation []kernel.Quat, half []kernel.Vec2, disc []kernel.Vec3, count []int32,
	integers []int32, floats []float32, vectors []kernel.Vec2,
	otherIntegers []int32, otherFloats []float32, otherVectors []kernel.Vec2) {
	first := g.ID * perGroup
	size := SizeOfGroup(first, perGroup, n)
	for k := range g.Each(size) {
		UpdateDiscs(first+k, (first+k)/boxes, n, discs, radius, swept, position, orientation, half, disc, count, integers,
			floats, vectors)
	}
	for k := range g.Each(size) {
		UpdateAgents(first+k, (first+k)/boxes, n, boxes, swept, position, previous, orientation, half,
			otherIntegers, otherFloats, otherVectors)
	}
	for k := range g.Each(size) {
		if swept == 1 {
			previous[first+k] = position[first+k]
		}
	}
}

// touchFramesAndAgents tests each agent, a ball, against the frames near its target, and each box against the other
// boxes of its env: see UpdateFrames and UpdateAgents, whose columns are those of the other arrays. center [n] has the
// positions of the boxes, and position those of the agents, which may be fewer. One group is the boxes of some envs,
// perGroup boxes, and the perGroup*agents/boxes agents of these envs: see BoxesOfGroup. With swept 1, previous has the
// positions of the boxes at the launch before, and then those of this one.
//
//kernel:group lanes=32
//kernel:unproven
//kernel:iterations touchFramesAndAgentsIterations(agents, boxes, perGroup, window, lanes)
func touchFramesAndAgents(g kernel.Group, envs, agents, boxes, perGroup, gates, window int32,
	radius, thickness, depth float32, swept int32, position []kernel.Vec3, target []int32, gate []kernel.Vec3,
	turn []kernel.Quat, opening []float32, count, valid []int32, integers []int32, floats []float32,
	center, previous []kernel.Vec3, orientation []kernel.Quat, half []kernel.Vec2,
	otherIntegers []int32, otherFloats []float32, otherVectors []kernel.Vec2) {
	first := g.ID * (perGroup / boxes)
	size := SizeOfGroup(first, perGroup/boxes, envs)
	frame := Frame{Thickness: thickness, Depth: depth}
	for k := range g.Each(size * agents) {
		UpdateFrames(first*agents+k, first+k/agents, envs*agents, gates, window, radius, frame, position, target,
			gate, turn, opening, count, valid, integers, floats)
	}
	for k := range g.Each(size * boxes) {
		UpdateAgents(first*boxes+k, first+k/boxes, envs*boxes, boxes, swept, center, previous, orientation, half,
			otherIntegers, otherFloats, otherVectors)
	}
	for k := range g.Each(size * boxes) {
		if swept == 1 {
			previous[first*boxes+k] = center[first*boxes+k]
		}
	}
}
