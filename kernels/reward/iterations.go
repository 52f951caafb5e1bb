package reward

import "github.com/trackgen-go/trackgen/kernel/iterations"

// The functions in this file return upper bounds on the loop iterations of one lane: see package iterations.

// updateIterations bounds Update.
func updateIterations(channels float64) float64 {
	return iterations.Loop(Terms+1, 0) + iterations.Loop(channels, 0)
}

// updateEnvIterations bounds the kernel updateEnv.
func updateEnvIterations(perEnv, channels, lanes float64) float64 {
	return iterations.Phase(perEnv, lanes, updateIterations(channels)) +
		iterations.Phase(1, lanes, iterations.Loop(perEnv, 0)) + iterations.Phase(perEnv, lanes, 0)
}

// resetIterations bounds the kernel resetEnvs.
func resetIterations(perEnv, lanes float64) float64 { return iterations.Phase(perEnv, lanes, 0) }
