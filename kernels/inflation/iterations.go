package inflation

import (
	"github.com/trackgen-go/trackgen/kernel/iterations"
	"github.com/trackgen-go/trackgen/kernels/centerline"
)

// evenIterations bounds the loop iterations of the kernel even.
func evenIterations(points, lanes float64) float64 {
	return centerline.ResampleIterations(points, points, lanes) +
		iterations.Phase(1, lanes, iterations.Loop(points, 0)) + 2*iterations.Phase(points, lanes, 0)
}

// levelIterations bounds the loop iterations of the kernel level.
func levelIterations(points, lanes float64) float64 { return iterations.Phase(points, lanes, 0) }

// inflateIterations bounds the loop iterations of the kernel inflate.
func inflateIterations(points, banked, lanes float64) float64 {
	sum := 2*iterations.Phase(points, lanes, 0) + iterations.Loop(points, 0) + iterations.Phase(1, lanes, 0)
	if banked != 0 {
		mean := 2 * iterations.Loop(points, 0) // a window is as long as the loop at most
		sum += iterations.Phase(points, lanes, 0) + iterations.Phase(1, lanes, 2*mean)
	}
	return sum
}

// validateIterations bounds the loop iterations of the kernel validate. It compares each point with all other points,
// and each edge of a border with all other edges.
func validateIterations(points, checkBorders, lanes float64) float64 {
	pairs := iterations.Loop(points, 0)
	if checkBorders != 0 {
		pairs += iterations.Loop(points, 0)
	}
	return iterations.Phase(points, lanes, pairs) + iterations.Loop(points, 0) + iterations.Phase(1, lanes, 0)
}
