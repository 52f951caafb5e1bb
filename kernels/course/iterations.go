package course

import (
	"github.com/trackgen-go/trackgen/kernel/iterations"
	"github.com/trackgen-go/trackgen/kernels/localise"
)

// followIterations bounds the loop iterations of the kernel follow: a visit to each checkpoint, and a search of a line.
func followIterations(room, points, window float64) float64 {
	return iterations.Loop(room, 0) + localise.Iterations(points, window)
}

// followRankedIterations bounds the loop iterations of the kernel followRanked: of a rank, a visit to each agent, and
// the way along the checkpoints, once for a lap and once for the rest.
func followRankedIterations(perEnv, room, points, window, lanes float64) float64 {
	return iterations.Phase(perEnv, lanes, followIterations(room, points, window)) +
		iterations.Phase(perEnv, lanes, iterations.Loop(perEnv, 0)+2*iterations.Loop(room, 0))
}
