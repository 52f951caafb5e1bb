package vehicle

import (
	"github.com/trackgen-go/trackgen/kernel"
	"github.com/trackgen-go/trackgen/kernels/seeding"
	"github.com/trackgen-go/trackgen/kernels/vector"
)

// Drone is how a drone moves. Its way is how far it has come in a step.
type Drone struct {
	Way, Velocity kernel.Vec3
	Orientation   kernel.Quat
	Thrust        float32
	Rates         kernel.Vec3 // about the axes of the body
}

// DroneOf is the part of the parameters of a drone that its motion depends on. Drags are for each unit of mass.
type DroneOf struct{ Mass, ThrustMax, TiltRate, TurnRate, ThrustLag, RateLag, DragSide, DragUp float32 }

// DroneOfEnv returns the parameters of the drones of an env.
func DroneOfEnv(env, envs int32, parameters []float32) DroneOf {
	mass := parameters[DroneMass*envs+env]
	return DroneOf{
		Mass: mass, ThrustMax: parameters[ThrustMax*envs+env], TiltRate: parameters[TiltRate*envs+env],
		TurnRate: parameters[TurnRate*envs+env], ThrustLag: parameters[ThrustLag*envs+env],
		RateLag: parameters[RateLag*envs+env], DragSide: parameters[DragSide*envs+env] / mass,
		DragUp: parameters[DragUp*envs+env] / mass,
	}
}

// Fly moves a drone by all substeps of a step (L-10, L-11). thrust and rates are what its driver wants.
func Fly(d Drone, thrust float32, rates kernel.Vec3, p DroneOf, s Settings) Drone {
	force := lagOf(s.Duration, p.ThrustLag)
	turn := lagOf(s.Duration, p.RateLag)
	for k := int32(0); k < s.Substeps; k++ {
		if s.Method == RungeKutta {
			d = flown(d, thrust, rates, force, turn, p, s.Duration)
			continue
		}
		d.Thrust = nearer(d.Thrust, thrust, float32(force*force))
		d.Rates = nearer3(d.Rates, rates, float32(turn*turn))
		d.Orientation = turned(d.Orientation, turningAt(d.Orientation, d.Rates), s.Duration)
		d.Velocity = d.Velocity.Add(accelerationOf(d.Velocity, d.Orientation, d.Thrust, p).Scale(s.Duration))
		d.Way = d.Way.Add(d.Velocity.Scale(s.Duration))
	}
	return d
}

// nearer returns the number from which a part of its difference from another one is left.
func nearer(from, to, part float32) float32 { return to + float32((from-to)*part) }

// nearer3 is nearer for vectors.
func nearer3(from, to kernel.Vec3, part float32) kernel.Vec3 { return to.Add(from.Sub(to).Scale(part)) }

// lagOf returns the part of a difference that is left after half of a duration, with a lag of first order.
func lagOf(duration, lag float32) float32 {
	if lag <= 0 {
		return 0
	}
	return kernel.Exp(float32(-0.5*duration) / lag)
}

// flown moves a drone by one substep of Runge and Kutta's method. force and turn are the parts of the differences from
// the wanted thrust and rates that are left after half of it.
func flown(d Drone, thrust float32, rates kernel.Vec3, force, turn float32, p DroneOf, h float32) Drone {
	faster := kernel.V3(0, 0, 0)
	turning := kernel.Quat{}
	fasterSum := faster
	turningSum := turning
	sixth := float32(h * (1.0 / 6))
	for k := int32(0); k < stages; k++ {
		lag := float32(0.5 * h)
		weight := float32(2)
		if k == 0 {
			weight = 1
		}
		if k == stages-1 {
			lag = h
			weight = 1
		}
		if k == 1 || k == stages-1 { // at the middle and at the end of the substep
			d.Thrust = nearer(d.Thrust, thrust, force)
			d.Rates = nearer3(d.Rates, rates, turn)
		}
		v := d.Velocity.Add(faster.Scale(lag)) // the changes are 0 in the first stage
		q := turned(d.Orientation, turning, lag)
		faster = accelerationOf(v, q, d.Thrust, p)
		turning = turningAt(q, d.Rates)
		d.Way = d.Way.Add(v.Scale(float32(weight * sixth)))
		fasterSum = fasterSum.Add(faster.Scale(weight))
		turningSum = sum(turningSum, turning, weight)
	}
	d.Velocity = d.Velocity.Add(fasterSum.Scale(sixth))
	d.Orientation = turned(d.Orientation, turningSum, sixth)
	return d
}

// accelerationOf returns the acceleration of a drone: thrust along the body's z axis, drag, and gravity (L-10).
func accelerationOf(v kernel.Vec3, q kernel.Quat, thrust float32, p DroneOf) kernel.Vec3 {
	up := kernel.V3(float32(2*(float32(q.X*q.Z)+float32(q.W*q.Y))), float32(2*(float32(q.Y*q.Z)-float32(q.W*q.X))),
		1-float32(2*(float32(q.X*q.X)+float32(q.Y*q.Y))))
	along := thrust/p.Mass - float32((p.DragUp-p.DragSide)*v.Dot(up))
	return up.Scale(along).Sub(v.Scale(p.DragSide)).Sub(kernel.V3(0, 0, Gravity))
}

// turningAt returns how fast an orientation changes at rates about the axes of the body: q (rates, 0) / 2.
func turningAt(q kernel.Quat, rates kernel.Vec3) kernel.Quat {
	a := kernel.V3(q.X, q.Y, q.Z)
	v := rates.Scale(q.W).Add(a.Cross(rates)).Scale(0.5)
	return kernel.Quat{X: v.X, Y: v.Y, Z: v.Z, W: float32(-0.5 * a.Dot(rates))}
}

// sum returns q + weight*by.
func sum(q, by kernel.Quat, weight float32) kernel.Quat {
	return kernel.Quat{X: q.X + float32(weight*by.X), Y: q.Y + float32(weight*by.Y), Z: q.Z + float32(weight*by.Z),
		W: q.W + float32(weight*by.W)}
}

// turned returns the orientation q + time*turning, of unit length.
func turned(q, turning kernel.Quat, time float32) kernel.Quat { return unit(sum(q, turning, time)) }

// unit returns q with unit length; no turn for one without length or with a number that is not finite.
func unit(q kernel.Quat) kernel.Quat {
	length := kernel.Sqrt(float32(q.X*q.X) + float32(q.Y*q.Y) + float32(q.Z*q.Z) + float32(q.W*q.W))
	if !(length > 0) || !kernel.IsFinite(length) {
		return kernel.Quat{X: 0, Y: 0, Z: 0, W: 1}
	}
	return kernel.Quat{X: q.X / length, Y: q.Y / length, Z: q.Z / length, W: q.W / length}
}

// StepDrone moves drone i of number in all envs by one step (L-10, L-11). A drone whose position has a NaN is paused:
// nothing of it changes. place is [2*number] and motion [DroneColumns*number]; actions is [4*number], the actions of a
// drone beside each other; parameters is [DroneParameters*envs].
func StepDrone(i, agents, number, envs int32, s Settings, actions, parameters []float32, place []kernel.Vec3,
	orientation []kernel.Quat, motion []float32) {
	at := place[i]
	if vector.HasNaN(at) {
		return
	}
	p := DroneOfEnv(i/agents, envs, parameters)
	d := Drone{Velocity: place[number+i], Orientation: orientation[i], Thrust: motion[Thrust*number+i]}
	d.Rates = kernel.V3(motion[RollRate*number+i], motion[PitchRate*number+i], motion[DroneYawRate*number+i])
	thrust := float32(float32(0.5*(1+action(4*i, actions))) * p.ThrustMax)
	rates := kernel.V3(float32(action(4*i+1, actions)*p.TiltRate), float32(action(4*i+2, actions)*p.TiltRate),
		float32(action(4*i+3, actions)*p.TurnRate))
	d = Fly(d, thrust, rates, p, s)
	place[i] = at.Add(d.Way)
	place[number+i] = d.Velocity
	orientation[i] = d.Orientation
	setFlight(i, number, d.Thrust, d.Rates, motion)
}

// setFlight writes the columns of a drone.
func setFlight(i, number int32, thrust float32, rates kernel.Vec3, motion []float32) {
	motion[Thrust*number+i] = thrust
	motion[RollRate*number+i] = rates.X
	motion[PitchRate*number+i] = rates.Y
	motion[DroneYawRate*number+i] = rates.Z
}

// stepDrones moves every drone by one step: see StepDrone. There are agents in each of the given number of envs, number
// in all. With held 1, the drones of envs whose hold is not 0 are left as they are. One item is one drone. kernelgen
// cannot prove that columns have no element in common.
//
//kernel:thread
//kernel:unproven
//kernel:iterations stepDroneIterations(substeps)
func stepDrones(i, agents, number, envs, held, method, substeps int32, duration float32, actions []float32,
	hold []int32, parameters []float32, place []kernel.Vec3, orientation []kernel.Quat, motion []float32) {
	if isHeld(i/agents, held, hold) {
		return
	}
	s := Settings{Method: method, Substeps: substeps, Duration: duration}
	StepDrone(i, agents, number, envs, s, actions, parameters, place, orientation, motion)
}

// startDrones draws the parameters of the envs whose mask is not 0, and lets their drones hover where they are, or with
// a start speed from low to high along the body's x axis (L-12); with kept 1, with the velocity that they have. ranges
// has the least and the greatest value of each parameter. One group is one env. kernelgen cannot prove that columns
// have no element in common.
//
//kernel:group lanes=32
//kernel:unproven
//kernel:iterations startIterations(agents, lanes)
func startDrones(g kernel.Group, agents, number, envs, kept int32, low, high float32, mask, seed, epoch []int32,
	ranges []float32, parameters []float32, place []kernel.Vec3, orientation []kernel.Quat, half []kernel.Vec2,
	motion []float32) {
	if mask[g.ID] == 0 {
		return
	}
	effective := seeding.EffectiveSeed(seed[g.ID], epoch[g.ID])
	for k := range g.Each(DroneParameters) {
		parameters[k*envs+g.ID] = draw(effective, k, ranges[2*k], ranges[2*k+1])
	}
	for k := range g.Each(agents) {
		i := g.ID*agents + k
		half[i] = kernel.V2(parameters[DroneHalfLength*envs+g.ID], parameters[DroneHalfWidth*envs+g.ID])
		q := unit(orientation[i])
		orientation[i] = q
		forward := kernel.V3(1-float32(2*(float32(q.Y*q.Y)+float32(q.Z*q.Z))),
			float32(2*(float32(q.X*q.Y)+float32(q.W*q.Z))), float32(2*(float32(q.X*q.Z)-float32(q.W*q.Y))))
		v := place[number+i]
		if kept == 0 {
			v = forward.Scale(draw(effective, DroneParameters+k, low, high))
		}
		if !kernel.IsFinite(v.X) || !kernel.IsFinite(v.Y) || !kernel.IsFinite(v.Z) {
			v = kernel.V3(0, 0, 0)
		}
		place[number+i] = v
		hover := kernel.Min(float32(parameters[DroneMass*envs+g.ID]*Gravity), parameters[ThrustMax*envs+g.ID])
		setFlight(i, number, hover, kernel.V3(0, 0, 0), motion)
	}
}
