package measured

import (
	"math"

	"github.com/trackgen-go/trackgen/kernel/iterations"
)

// blockIterations bounds the loop iterations of kernels in which each point visits all blocks of other points.
func blockIterations(points float64) float64 {
	return iterations.Loop(math.Ceil(points/Block), iterations.Loop(Block, 0))
}

// bridgesIterations bounds the loop iterations of the kernel bridges.
func bridgesIterations(points, lanes float64) float64 {
	return iterations.Phase(1, lanes, iterations.Loop(points, 0)) +
		iterations.Phase(points, lanes, iterations.Loop(MaxBridges, 0))
}

// validateIterations bounds the loop iterations of the kernel validate.
func validateIterations(points, lanes float64) float64 {
	return iterations.Phase(points, lanes, 0) + iterations.Loop(points, 0) + iterations.Phase(1, lanes, 0)
}
