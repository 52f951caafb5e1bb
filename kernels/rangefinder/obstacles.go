package rangefinder

import (
	"github.com/trackgen-go/trackgen/kernel"
	"github.com/trackgen-go/trackgen/kernels/obstacle"
	"github.com/trackgen-go/trackgen/kernels/vector"
)

// planRay returns the beam of a sensor in plan view, and how long its unit direction is there. A level sensor has 1.
func planRay(f vector.Frame, turn kernel.Vec2, reach float32) (Ray, float32) {
	d := DirectionOf(f, turn)
	flat := float32(1)
	way := kernel.V2(d.X, d.Y)
	if d.Z != 0 {
		flat = kernel.Min(way.Len(), 1)
		if flat >= level {
			way = kernel.V2(way.X/flat, way.Y/flat)
		}
	}
	return Ray{From: kernel.V2(f.Origin.X, f.Origin.Y), Way: way, Reach: float32(reach * flat), Hit: None}, flat
}

// ToBox returns the distance along a ray to a box, 0 inside, and NaN if it does not hit it (L-33).
func ToBox(r Ray, b obstacle.Box) float32 {
	to := b.Middle.Sub(r.From)
	radius := b.Half.Len()
	slack := float32(relativeSlack*(kernel.Abs(to.X)+kernel.Abs(to.Y)+radius)) + leastSlack
	if kernel.Abs(r.Way.Cross(to)) > radius+slack || r.Way.Dot(to)+radius+slack < 0 {
		return kernel.NaN()
	}
	local := b.Local(kernel.V2(-to.X, -to.Y))
	if kernel.Abs(local.X) <= b.Half.X && kernel.Abs(local.Y) <= b.Half.Y {
		return 0
	}
	best := Ray{From: r.From, Way: r.Way, Reach: kernel.Inf(), Hit: None}
	a := b.Corner(3)
	c := r.Way.Cross(a.Sub(r.From))
	for k := int32(0); k < 4; k++ {
		e := b.Corner(k)
		d := r.Way.Cross(e.Sub(r.From))
		if (c >= 0) != (d >= 0) {
			best = nearer(best, crossing(r, a, e, c, d), Agent)
		}
		a = e
		c = d
	}
	if best.Hit == None {
		return kernel.NaN()
	}
	return best.Reach
}

// ToDisc returns the distance along a ray to a disc, 0 inside, and NaN if it does not hit it (L-34).
func ToDisc(r Ray, middle kernel.Vec2, radius float32) float32 {
	to := middle.Sub(r.From)
	aside := r.Way.Cross(to)
	along := r.Way.Dot(to)
	if to.Dot(to) <= float32(radius*radius) {
		return 0
	}
	if !(along >= 0 && kernel.Abs(aside) <= radius) {
		return kernel.NaN()
	}
	return kernel.Max(along-kernel.Sqrt(float32((radius-aside)*(radius+aside))), 0)
}

// shorten lets a beam end at an obstacle of plan view, if it is nearer than what the beam has hit. flat is the length
// of the direction of the beam in plan view.
func shorten(at, met int32, t, flat float32, distance []float32, hit []int32) {
	t /= flat
	if t < distance[at] {
		distance[at] = t
		hit[at] = met
	}
}

// boxes measures the beams of every agent against the boxes of the other agents of its env, which have an endless
// height. half is [E*A]. See walls.
//
// One item is a run of beams of one agent. kernelgen cannot prove that runs have no element in common.
//
//kernel:thread
//kernel:unproven
//kernel:iterations boxIterations(agents)
func boxes(i, agents, beams, body int32, reach, placeX, placeY, placeZ float32, position []kernel.Vec3,
	orientation []kernel.Quat, half, turn []kernel.Vec2, distance []float32, hit []int32) {
	agent := i / runs(beams)
	from := i % runs(beams) * Run
	f := SensorOf(position[agent], orientation[agent], Mount{Place: kernel.V3(placeX, placeY, placeZ), Body: body})
	if !f.Sees() {
		return
	}
	first := agent / agents * agents
	for j := first; j < first+agents; j++ {
		p := position[j]
		if j == agent || vector.HasNaN(p) {
			continue
		}
		b := obstacle.BoxOf(p, orientation[j], half[j])
		for k := from; k < min(from+Run, beams); k++ {
			r, flat := planRay(f, turn[k], reach)
			if flat >= level {
				shorten(agent*beams+k, Agent, ToBox(r, b), flat, distance, hit)
			}
		}
	}
}

// discs measures the beams of every agent against the discs of its env, all with the same radius and an endless height.
// disc is [E, discs], of which the first count are real. See walls.
//
// One item is a run of beams of one agent. kernelgen cannot prove that runs have no element in common.
//
//kernel:thread
//kernel:unproven
//kernel:iterations discIterations(perEnv)
func discs(i, agents, beams, perEnv, body int32, reach, radius, placeX, placeY, placeZ float32, position []kernel.Vec3,
	orientation []kernel.Quat, turn []kernel.Vec2, disc []kernel.Vec3, count []int32, distance []float32, hit []int32) {
	agent := i / runs(beams)
	from := i % runs(beams) * Run
	f := SensorOf(position[agent], orientation[agent], Mount{Place: kernel.V3(placeX, placeY, placeZ), Body: body})
	if !f.Sees() {
		return
	}
	env := agent / agents
	n := min(count[env], perEnv)
	for j := env * perEnv; j < env*perEnv+n; j++ {
		middle := kernel.V2(disc[j].X, disc[j].Y)
		for k := from; k < min(from+Run, beams); k++ {
			r, flat := planRay(f, turn[k], reach)
			if flat >= level {
				shorten(agent*beams+k, Post, ToDisc(r, middle, radius), flat, distance, hit)
			}
		}
	}
}
