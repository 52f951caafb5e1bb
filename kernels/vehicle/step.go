package vehicle

import (
	"github.com/trackgen-go/trackgen/kernel"
	"github.com/trackgen-go/trackgen/kernels/vector"
)

// action returns one of the actions of an agent: from -1 to 1, and 0 for a NaN (L-1).
func action(i int32, actions []float32) float32 {
	if kernel.IsNaN(actions[i]) {
		return 0
	}
	return kernel.Clamp(actions[i], -1, 1)
}

// StepCar moves car i of number in all envs by one step (L-3 to L-7). A car whose position has a NaN is paused: nothing
// of it changes. place is [2*number] and motion [CarColumns*number]; actions is [2*number], the actions of a car beside
// each other; parameters is [CarParameters*envs].
func StepCar(i, agents, number, envs int32, s Settings, actions, parameters []float32, place []kernel.Vec3,
	orientation []kernel.Quat, motion []float32) {
	p := place[i]
	if vector.HasNaN(p) {
		return
	}
	c := Car{
		Steering: motion[Steering*number+i], Speed: motion[Speed*number+i], Yaw: motion[Yaw*number+i],
		YawRate: motion[YawRate*number+i], Slip: motion[Slip*number+i],
	}
	moved := kernel.V2(0, 0)
	c, moved = Move(c, action(2*i, actions), action(2*i+1, actions), CarOfEnv(i/agents, envs, parameters), s)
	place[i] = kernel.V3(p.X+moved.X, p.Y+moved.Y, p.Z)
	setMotion(i, number, c, place, orientation, motion)
}

// setMotion writes the columns of a car that follow from how it moves.
func setMotion(i, number int32, c Car, place []kernel.Vec3, orientation []kernel.Quat, motion []float32) {
	motion[Steering*number+i] = c.Steering
	motion[Speed*number+i] = c.Speed
	motion[Yaw*number+i] = c.Yaw
	motion[YawRate*number+i] = c.YawRate
	motion[Slip*number+i] = c.Slip
	sin, cos := sincos(float32(0.5 * c.Yaw))
	orientation[i] = kernel.Quat{X: 0, Y: 0, Z: sin, W: cos}
	heading := kernel.V2(float32(cos*cos)-float32(sin*sin), float32(2*float32(sin*cos)))
	s, t := sincos(c.Slip)
	place[number+i] = kernel.V3(float32(c.Speed*(float32(heading.X*t)-float32(heading.Y*s))),
		float32(c.Speed*(float32(heading.Y*t)+float32(heading.X*s))), 0)
}

// isHeld reports whether the agents of an env do not move in a step. hold has one number for each env, or for none.
func isHeld(env, held int32, hold []int32) bool { return held == 1 && hold[env] != 0 }

// stepCars moves every car by one step: see StepCar and Climb. There are agents in each of the given number of envs,
// number in all. With held 1, the cars of envs whose hold is not 0 are left as they are. With grounded 1, cars are at
// the height of the line of their env, of which segment has the segment where each was. One item is one car. kernelgen
// cannot prove that columns have no element in common.
//
//kernel:thread
//kernel:unproven
//kernel:iterations stepIterations(substeps)
func stepCars(i, agents, number, envs, held, grounded, maxPoints, model, control, method, tyres, substeps int32,
	duration float32, actions []float32, hold []int32, parameters []float32, index []kernel.Quat, segment []int32,
	place []kernel.Vec3, orientation []kernel.Quat, motion []float32) {
	if isHeld(i/agents, held, hold) {
		return
	}
	s := Settings{Model: model, Control: control, Method: method, Tyres: tyres, Substeps: substeps, Duration: duration}
	StepCar(i, agents, number, envs, s, actions, parameters, place, orientation, motion)
	if grounded == 1 {
		Climb(i, agents, number, maxPoints, float32(float32(substeps)*duration), index, segment, place)
	}
}
