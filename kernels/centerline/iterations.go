package centerline

import (
	"math"

	"github.com/trackgen-go/trackgen/kernel/iterations"
)

// The functions of this file bound the iterations of the loops of one lane, for the bounds that kernels state: see
// package iterations.

// ResampleIterations bounds ArcEnds of a closed polygon of n points, in a phase of one item, and PointAtArc for points
// points of it, in another one.
func ResampleIterations(n, points, lanes float64) float64 {
	return iterations.Phase(1, lanes, iterations.Loop(n, 0)) + iterations.Phase(points, lanes, iterations.Search(n))
}

// BoxIterations bounds a phase of BoxOf for all blocks of segments of loops of n points.
func BoxIterations(loops, n, lanes float64) float64 {
	return iterations.Phase(loops*math.Ceil(n/Block), lanes, iterations.Loop(Block, 0))
}

// CrossingIterations bounds a phase of Crossings for all shares of loops of n points. All blocks may be within reach of
// one another.
func CrossingIterations(loops, n, lanes float64) float64 {
	blocks := math.Ceil(n / Block)
	pair := iterations.Loop(Block, iterations.Loop(Block, 0))
	return iterations.Phase(loops*blocks*CrossingShares, lanes, iterations.Loop(math.Ceil(blocks/CrossingShares), pair))
}

// CornerIterations bounds DrawCorners and SortByAngle for n corners, each of which may be drawn maxRedraws times again.
func CornerIterations(n float64) float64 {
	drawn := iterations.Loop(n, iterations.Loop(maxRedraws+1, 1)) + (maxRedraws+1)*n*(n-1)/2
	return drawn + CentroidIterations(n) + iterations.Loop(n, 0) + iterations.Loop(n-1, 1) + n*(n-1)/2
}

// CentroidIterations bounds Centroid of n points.
func CentroidIterations(n float64) float64 { return iterations.Loop(n, 0) }

// bezierIterations bounds the kernel bezier: twice, where the smooth loop crosses itself, the curve is drawn and
// resampled.
func bezierIterations(corners, samples, points, lanes float64) float64 {
	dense := corners * samples
	curve := iterations.Phase(dense, lanes, 0) + ResampleIterations(dense, points, lanes)
	return iterations.Phase(1, lanes, CornerIterations(corners)) + iterations.Phase(corners, lanes, 0) + 2*curve +
		BoxIterations(1, points, lanes) + CrossingIterations(1, points, lanes)
}

// polarIterations bounds the kernel polar.
func polarIterations(knots, samples, points, lanes float64) float64 {
	dense := knots * samples
	return iterations.Phase(1, lanes, iterations.Loop(knots, 0)) + iterations.Phase(dense, lanes, 0) +
		ResampleIterations(dense, points, lanes) + iterations.Phase(1, lanes, iterations.Loop(points, 0)) +
		iterations.Phase(points, lanes, 0)
}

// maxCorrection bounds how often space takes back a point that rounding has put at the end of the loop or beyond: the
// quotient that it counts them by, at most 2^30, is off by less.
const maxCorrection = 256

// spaceIterations bounds the kernel space.
func spaceIterations(points, maxPoints, lanes float64) float64 {
	ends := iterations.Loop(points, 0) + iterations.Loop(maxCorrection, 0)
	return iterations.Phase(1, lanes, ends) + iterations.Phase(maxPoints, lanes, iterations.Search(points))
}
