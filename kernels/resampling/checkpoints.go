package resampling

import (
	"github.com/trackgen-go/trackgen/kernel"
	"github.com/trackgen-go/trackgen/kernels/vector"
)

// unlimited is half the height of a checkpoint that has no upper and lower end.
const unlimited = 1e30

// checkpoints places the checkpoints of each active env, across the road at equal distances along the centreline
// (C-53). Rows of center, inner, outer and arclen have stride maxPoints; those of position, left, right, forward and
// upHalf have stride room. arclen, step and items are as measureLine has written them for center. What lies beyond the
// number of items is NaN.
//
// One group is one env.
//
//kernel:group lanes=64
//kernel:iterations placeIterations(room, maxPoints, 1, lanes)
func checkpoints(g kernel.Group, active []int32, maxPoints int32, center, inner, outer []kernel.Vec3, count []int32,
	arclen, step []float32, items []int32, room int32, position, left, right, forward []kernel.Vec3, upHalf []float32) {
	if g.ID >= active[0] {
		return
	}
	env := active[g.ID+1]
	base := env * maxPoints
	n := Points(count[env], maxPoints)
	for k := range g.Each(room) {
		to := env*room + k
		position[to] = nowhere()
		left[to] = nowhere()
		right[to] = nowhere()
		forward[to] = nowhere()
		upHalf[to] = kernel.NaN()
		if k < items[env] {
			at := placeAt(k, items[env], step[env], n, base, arclen)
			position[to] = vector.OneNaN3(pointAt(at, center))
			left[to] = vector.OneNaN3(pointAt(at, inner))
			right[to] = vector.OneNaN3(pointAt(at, outer))
			forward[to] = vector.OneNaN3(direction(center[at.to].Sub(center[at.from])))
			upHalf[to] = unlimited
		}
	}
}
