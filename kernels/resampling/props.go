package resampling

import (
	"github.com/trackgen-go/trackgen/kernel"
	"github.com/trackgen-go/trackgen/kernels/vector"
)

// shortestPlan is the floor of the length by which a direction in plan view is divided.
const shortestPlan = 1e-8

// props places props along the closed line of each active env (C-52): with segments 0 a prop at each place, with
// segments 1 a prop from each place to the next. Rows of point and arclen have stride maxPoints; those of position,
// tangent, yaw and length have stride room. arclen, step and items are as measureLine has written them. What lies
// beyond the number of items is NaN.
//
// One group is one env.
//
//kernel:group lanes=64
//kernel:iterations placeIterations(room, maxPoints, 2, lanes)
func props(g kernel.Group, active []int32, maxPoints int32, point []kernel.Vec3, count []int32,
	arclen, step []float32, items []int32, room, segments int32, position []kernel.Vec3, tangent []kernel.Vec2,
	yaw, length []float32) {
	if g.ID >= active[0] {
		return
	}
	env := active[g.ID+1]
	base := env * maxPoints
	n := Points(count[env], maxPoints)
	for k := range g.Each(room) {
		to := env*room + k
		position[to] = nowhere()
		tangent[to] = kernel.V2(kernel.NaN(), kernel.NaN())
		yaw[to] = kernel.NaN()
		length[to] = kernel.NaN()
		if k < items[env] {
			at := placeAt(k, items[env], step[env], n, base, arclen)
			middle := pointAt(at, point)
			way := point[at.to].Sub(point[at.from])
			long := step[env]
			if segments != 0 {
				next := k + 1
				if next == items[env] {
					next = 0
				}
				begin := middle
				end := pointAt(placeAt(next, items[env], step[env], n, base, arclen), point)
				middle = begin.Add(end).Scale(0.5)
				way = end.Sub(begin)
				long = way.Len()
			}
			along := kernel.V2(way.X, way.Y)
			plan := kernel.Max(along.Len(), shortestPlan)
			along = kernel.V2(vector.OneNaN(along.X/plan), vector.OneNaN(along.Y/plan))
			position[to] = vector.OneNaN3(middle)
			tangent[to] = along
			yaw[to] = vector.OneNaN(kernel.Atan2(along.Y, along.X))
			length[to] = vector.OneNaN(long)
		}
	}
}
