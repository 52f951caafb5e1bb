package inflation

import (
	"github.com/trackgen-go/trackgen/kernel/iterations"
	"github.com/trackgen-go/trackgen/kernels/centerline"
)

// inflateIterations bounds the loop iterations of the kernel inflate.
func inflateIterations(points, lanes float64) float64 {
	sum := iterations.Loop(points, 0)
	return centerline.ResampleIterations(points, points, lanes) + iterations.Phase(1, lanes, sum) + sum +
		iterations.Phase(1, lanes, 0) + 2*iterations.Phase(points, lanes, 0)
}

// validateIterations bounds the loop iterations of the kernel validate: each point is measured against all others, and
// each edge of a border compared with all others.
func validateIterations(points, checkBorders, lanes float64) float64 {
	pairs := iterations.Loop(points, 0)
	if checkBorders != 0 {
		pairs += iterations.Loop(points, 0)
	}
	return iterations.Phase(points, lanes, pairs) + iterations.Loop(points, 0) + iterations.Phase(1, lanes, 0)
}
