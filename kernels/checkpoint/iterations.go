package checkpoint

import (
	"math"

	"github.com/trackgen-go/trackgen/kernel/iterations"
	"github.com/trackgen-go/trackgen/kernels/centerline"
)

// steerIterations bounds the loop iterations of the kernel steer.
func steerIterations(perGroup, candidates, checkpoints, points, lanes float64) float64 {
	ring, path := iterations.Loop(checkpoints, 0), iterations.Loop(points, 0)
	return iterations.Phase(perGroup*candidates, lanes, ring) +
		iterations.Loop(perGroup, iterations.Phase(candidates*checkpoints, lanes, 0)) +
		iterations.Phase(perGroup*candidates, lanes, ring+path) +
		2*iterations.Loop(perGroup, iterations.Phase(candidates*points, lanes, 0)) +
		iterations.Phase(perGroup*candidates, lanes, path)
}

// chooseIterations bounds the loop iterations of the kernel choose. It clips a loop at most MaxClips times, with three
// passes over its points each time and two that all lanes share, and then resamples it.
func chooseIterations(candidates, points, clipping, lanes float64) float64 {
	blocks := math.Ceil(points / centerline.Block)
	crossings := func(loops float64) float64 {
		return centerline.BoxIterations(loops, points, lanes) + centerline.CrossingIterations(loops, points, lanes)
	}
	total := crossings(candidates) + iterations.Loop(candidates, 0) + 2*iterations.Phase(points, lanes, 0) +
		2*iterations.Loop(blocks, 0) + 1 // the test before the first clip
	if clipping != 0 {
		clip := iterations.Phase(1, lanes, 0) + crossings(1) + iterations.Phase(1, lanes, 3*iterations.Loop(points, 0)) +
			2*iterations.Phase(points, lanes, 0)
		total += iterations.Loop(MaxClips, clip) + centerline.ResampleIterations(points, points, lanes) +
			centerline.BoxIterations(1, points, lanes)
	}
	return total
}
