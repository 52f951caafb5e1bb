package progress

import "github.com/trackgen-go/trackgen/kernel/iterations"

// The functions in this file return upper bounds on the loop iterations of one lane: see package iterations.

// followIterations bounds the kernel follow.
func followIterations(room float64) float64 { return iterations.Loop(room, 0) }

// followRankedIterations bounds the kernel followRanked.
func followRankedIterations(perEnv, room, lanes float64) float64 {
	return iterations.Phase(perEnv, lanes, iterations.Loop(room, 0)) +
		iterations.Phase(perEnv, lanes, iterations.Loop(perEnv, 0)+2*iterations.Loop(room, 0))
}

// resetIterations bounds the kernel resetEnvs.
func resetIterations(perEnv, lanes float64) float64 { return iterations.Phase(perEnv, lanes, 0) }
