package measured

import (
	"math"

	"github.com/trackgen-go/trackgen/kernel/iterations"
	"github.com/trackgen-go/trackgen/kernels/centerline"
)

// maxCorrection bounds how often PointsFor takes back a point that rounding has added to the quotient that it counts
// them by.
const maxCorrection = 256

// spaceIterations bounds the loop iterations of the kernel space.
func spaceIterations(points, maxPoints, lanes float64) float64 {
	chords := iterations.Loop(samples, 0)
	return iterations.Phase(points, lanes, chords) +
		iterations.Phase(1, lanes, iterations.Loop(points, 0)+iterations.Loop(maxCorrection, 0)) +
		iterations.Phase(maxPoints, lanes, iterations.Search(points)+chords)
}

// evenIterations bounds the loop iterations of the kernel even.
func evenIterations(points, lanes float64) float64 {
	return centerline.ResampleIterations(points, points, lanes)
}

// blockIterations bounds the loop iterations of kernels in which a point looks at all blocks of others.
func blockIterations(points float64) float64 {
	return iterations.Loop(math.Ceil(points/Block), iterations.Loop(Block, 0))
}

// bridgesIterations bounds the loop iterations of the kernel bridges.
func bridgesIterations(points, lanes float64) float64 {
	return iterations.Phase(1, lanes, iterations.Loop(points, 0)) +
		iterations.Phase(points, lanes, iterations.Loop(MaxBridges, 0))
}

// inflateIterations bounds the loop iterations of the kernel inflate.
func inflateIterations(points, lanes float64) float64 {
	sum := iterations.Loop(points, 0)
	return iterations.Phase(1, lanes, sum) + sum + iterations.Phase(1, lanes, 0) + 2*iterations.Phase(points, lanes, 0)
}

// validateIterations bounds the loop iterations of the kernel validate.
func validateIterations(points, lanes float64) float64 {
	return iterations.Phase(points, lanes, 0) + iterations.Loop(points, 0) + iterations.Phase(1, lanes, 0)
}
