package selection

import (
	"math"

	"github.com/trackgen-go/trackgen/kernel/iterations"
	"github.com/trackgen-go/trackgen/kernels/centerline"
)

// judgeIterations bounds the loop iterations of the kernel judge.
func judgeIterations(points, lanes float64) float64 {
	return centerline.BoxIterations(1, points, lanes) + centerline.CrossingIterations(1, points, lanes) +
		iterations.Phase(1, lanes, 0)
}

// listIterations bounds the loop iterations of the kernels compact and narrow.
func listIterations(envs, lanes float64) float64 {
	part := iterations.Loop(math.Ceil(envs/chunks), 0) + 1 // a loop over fours of envs, and one over the rest
	return 3*iterations.Phase(chunks, lanes, part) + iterations.Phase(sets, lanes, 2*iterations.Loop(inSet, 0)) +
		iterations.Phase(1, lanes, 2*iterations.Loop(sets, 0))
}

// splitIterations bounds the loop iterations of the kernel split.
func splitIterations(envs, lanes float64) float64 {
	part := iterations.Loop(math.Ceil(envs/chunks), 0)
	return 2*iterations.Phase(chunks, lanes, part) + iterations.Phase(1, lanes, iterations.Loop(chunks, 0))
}
