package flight

import (
	"github.com/trackgen-go/trackgen/kernel"
	"github.com/trackgen-go/trackgen/kernels/vector"
	"github.com/trackgen-go/trackgen/kernels/vehicle"
)

// fly writes the actions of drones that follow closed lines in space with a speed profile (L-110 to L-116): agents in
// each env, each with four actions. point, arclen and speed have the stride maxPoints. segment is where each agent is
// on its line, or -1 for nowhere, which lets it hover. With samples above 0, the line has that many points from each
// gate to the next one, target has the next gate of each agent, and forward the normals of the gates.
//
// Of the way: lookahead is a time, nearest the least way ahead, corridor a distance from the line, factor scales the
// speeds, slowest is the least one. Gains: speedGain, moveGain, attitudeGain and headingGain are in 1/time, placeGain
// is in 1/time^2. Limits: acceleration, braking and correction are in length/time^2, tilt is the tangent of the largest
// angle of the thrust from the vertical. Of the drone: thrust is the acceleration of the largest thrust, in
// length/time^2, drags are for each unit of mass, tiltRate and turnRate are the rates that an action of 1 stands for.
//
// One item is one agent.
//
//kernel:thread
//kernel:iterations flyIterations(maxPoints)
func fly(i, agents, maxPoints, samples int32, lookahead, nearest, corridor, factor, slowest, speedGain, moveGain,
	placeGain, attitudeGain, headingGain, acceleration, braking, correction, tilt, thrust, dragSide, dragUp, tiltRate,
	turnRate float32, position []kernel.Vec3, orientation []kernel.Quat, velocity []kernel.Vec3,
	segment, target []int32, forward, point []kernel.Vec3, arclen, length []float32, count []int32,
	speed, action []float32) {
	env := i / agents
	l := line{base: env * maxPoints, n: pointsOf(count[env], maxPoints), length: length[env]}
	lift := float32(vehicle.Gravity) // of hovering
	rates := kernel.V3(0, 0, 0)
	f := vector.FrameOf(position[i], orientation[i], 1)
	if segment[i] >= 0 && segment[i] < l.n && f.Sees() {
		v := velocity[i]
		gate := gateOf(target[i], samples, l.n)
		to := l.courseOf(f.Origin, segment[i], gate, samples, nearest, point, arclen)
		if to.atGate {
			to.way = forward[env*(maxPoints/samples)+gate]
		}
		a := kernel.V3(0, 0, 0)
		if to.atGate && to.off.Dot(to.way) < 0 { // the gate was missed: to a place in front of it (L-113)
			back := to.off.Sub(to.way.Scale(nearest)).Scale(placeGain)
			a = within(back, correction).Sub(v.Scale(moveGain))
		} else {
			along := v.Dot(to.way)
			distance := kernel.Max(float32(lookahead*along), nearest)
			ahead := l.ahead(to.foot, distance, l.n, arclen)
			later := l.wayFrom(ahead, l.ahead(ahead, nearest, l.n, arclen), point)
			bend := later.Sub(to.way).Scale(float32(along*along) / distance)
			off := to.off.Sub(to.way.Scale(to.off.Dot(to.way)))
			beside := off.Len() / corridor
			wanted := kernel.Max(float32(factor*l.speedAt(ahead, speed)), slowest) / (1 + float32(beside*beside))
			drive := kernel.Clamp(float32(speedGain*(wanted-along)), -braking, acceleration)
			across := v.Sub(to.way.Scale(along)).Scale(moveGain)
			a = bend.Add(to.way.Scale(drive)).Add(within(off.Scale(placeGain), correction)).Sub(across)
		}
		drag := v.Scale(dragSide).Add(f.Up.Scale(float32((dragUp - dragSide) * v.Dot(f.Up))))
		force := limitedForce(a.Add(drag), tilt, thrust)
		lift = force.Dot(f.Up)
		rates = ratesTo(vector.Along(force, f.Forward, f.Left, f.Up), attitudeGain)
		rates.Z = float32(headingGain * bearing(to.way.Dot(f.Forward), to.way.Dot(f.Left)))
	}
	action[4*i] = limited(float32(2*lift)/thrust - 1)
	action[4*i+1] = limited(rates.X / tiltRate)
	action[4*i+2] = limited(rates.Y / tiltRate)
	action[4*i+3] = limited(rates.Z / turnRate)
}

// within returns v with a length of at most most.
func within(v kernel.Vec3, most float32) kernel.Vec3 {
	if length := v.Len(); length > most {
		return v.Scale(most / length)
	}
	return v
}

// limitedForce returns the thrust, for each unit of mass, that gives an acceleration against gravity, within the limits
// of the drone (L-114). The height comes first: what is too much is taken from the part across.
func limitedForce(a kernel.Vec3, tilt, most float32) kernel.Vec3 {
	up := kernel.Clamp(a.Z+vehicle.Gravity, leastLift, kernel.Max(most, leastLift))
	room := kernel.Sqrt(kernel.Max(float32(most*most)-float32(up*up), 0))
	room = kernel.Min(room, float32(tilt*up))
	size := kernel.V2(a.X, a.Y).Len()
	part := float32(1)
	if size > room {
		part = room / size
	}
	return kernel.V3(float32(a.X*part), float32(a.Y*part), up)
}

// leastLift is the least part of the thrust upwards, in m/s^2: a drone that descends keeps its attitude.
const leastLift = 0.2 * vehicle.Gravity

// ratesTo returns the rates about the axes x and y of the body that turn its z axis to a vector in its axes, in
// proportion to the angle between them (L-115).
func ratesTo(v kernel.Vec3, gain float32) kernel.Vec3 {
	side := kernel.V2(v.X, v.Y).Len()
	if !(side > minLength) {
		return kernel.V3(0, 0, 0)
	}
	angle := float32(gain * kernel.Atan2(side, v.Z))
	return kernel.V3(float32(-angle*(v.Y/side)), float32(angle*(v.X/side)), 0)
}

// bearing returns the angle of a vector to the left of the x axis, 0 for one without a direction.
func bearing(forward, left float32) float32 {
	if kernel.Max(kernel.Abs(forward), kernel.Abs(left)) < minLength {
		return 0
	}
	return kernel.Atan2(left, forward)
}

// limited returns x between -1 and 1, 0 for a NaN.
func limited(x float32) float32 {
	if kernel.IsNaN(x) {
		return 0
	}
	return kernel.Clamp(x, -1, 1)
}
