package vehicle

import "github.com/trackgen-go/trackgen/kernel/iterations"

// The functions in this file return upper bounds on the loop iterations of one lane: see package iterations.

// stepIterations bounds the kernel stepCars.
func stepIterations(substeps float64) float64 {
	return iterations.Loop(substeps, iterations.Loop(stages, 0)) + iterations.Loop(strides, 0)
}

// stepDroneIterations bounds the kernel stepDrones.
func stepDroneIterations(substeps float64) float64 {
	return iterations.Loop(substeps, iterations.Loop(stages, 0))
}

// startIterations bounds the kernels startCars and startDrones.
func startIterations(agents, lanes float64) float64 {
	return iterations.Phase(max(CarParameters, DroneParameters), lanes, 0) + iterations.Phase(agents, lanes, 0)
}
