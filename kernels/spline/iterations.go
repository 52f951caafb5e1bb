package spline

import (
	"math"

	"github.com/trackgen-go/trackgen/kernel/iterations"
	"github.com/trackgen-go/trackgen/kernels/centerline"
)

// throughIterations bounds the loop iterations of the kernel through. If the spline crosses itself, the kernel draws
// and resamples a curve a second time.
func throughIterations(vertices, samples, points, lanes float64) float64 {
	dense, blocks := vertices*samples, math.Ceil(points/centerline.Block)
	curve := iterations.Phase(dense, lanes, 0) + centerline.ResampleIterations(dense, points, lanes) +
		centerline.BoxIterations(1, points, lanes)
	return 2*curve + centerline.CrossingIterations(1, points, lanes) + 2*iterations.Loop(blocks, 0) +
		iterations.Phase(points, lanes, 0)
}
