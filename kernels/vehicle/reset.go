package vehicle

import (
	"github.com/trackgen-go/trackgen/kernel"
	"github.com/trackgen-go/trackgen/kernels/seeding"
	"github.com/trackgen-go/trackgen/kernels/vector"
)

// Salts of the draws: the random stream starts from seed*9533+83, in wrapping int32. No other stage uses them.
const (
	saltVehicle   = 9533
	offsetVehicle = 83
)

// draw draws number k of an env, from low to high (L-9).
func draw(effective, k int32, low, high float32) float32 {
	r := kernel.NewRand(effective*saltVehicle + offsetVehicle)
	u, _ := kernel.Rand{State: r.State + uint32(k)}.Uniform()
	return low + float32((high-low)*u)
}

// startCars draws the parameters of the envs whose mask is not 0, and puts their cars to rest where they are, or to a
// start speed from low to high along the body (L-9); with kept 1, to the part of their velocity along the body. ranges
// has the least and the greatest value of each parameter. One group is one env. kernelgen cannot prove that columns
// have no element in common.
//
//kernel:group lanes=32
//kernel:unproven
//kernel:iterations startIterations(agents, lanes)
func startCars(g kernel.Group, agents, number, envs, kept int32, low, high float32, mask, seed, epoch []int32,
	ranges []float32, parameters []float32, place []kernel.Vec3, orientation []kernel.Quat, half []kernel.Vec2,
	motion []float32) {
	if mask[g.ID] == 0 {
		return
	}
	effective := seeding.EffectiveSeed(seed[g.ID], epoch[g.ID])
	for k := range g.Each(CarParameters) {
		parameters[k*envs+g.ID] = draw(effective, k, ranges[2*k], ranges[2*k+1])
	}
	for k := range g.Each(agents) {
		i := g.ID*agents + k
		half[i] = kernel.V2(parameters[CarHalfLength*envs+g.ID], parameters[CarHalfWidth*envs+g.ID])
		heading := vector.Heading(orientation[i])
		c := Car{Yaw: kernel.Atan2(heading.Y, heading.X), Speed: draw(effective, CarParameters+k, low, high)}
		if !kernel.IsFinite(c.Yaw) {
			c.Yaw = 0
		}
		if kept == 1 {
			v := place[number+i]
			c.Speed = float32(v.X*heading.X) + float32(v.Y*heading.Y)
			if kernel.IsNaN(c.Speed) {
				c.Speed = 0
			}
		}
		c.Speed = kernel.Clamp(c.Speed, parameters[SpeedMin*envs+g.ID], parameters[SpeedMax*envs+g.ID])
		setMotion(i, number, c, place, orientation, motion)
	}
}
