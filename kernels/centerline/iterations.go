package centerline

import (
	"math"

	"github.com/trackgen-go/trackgen/kernel/iterations"
)

// The functions in this file return upper bounds on the loop iterations of one lane: see package iterations.

// ResampleIterations bounds the resampling of a closed polygon of n points to the given number of points: SegmentLength
// in a phase over the points, SumLengths in a phase of one item, then PointAtArc in a phase over the new points.
func ResampleIterations(n, points, lanes float64) float64 {
	return iterations.Phase(n, lanes, 0) + iterations.Phase(1, lanes, iterations.Loop(n, 0)) +
		iterations.Phase(points, lanes, iterations.Search(n))
}

// BoxIterations bounds a phase of BoxOf for all blocks of segments of loops of n points.
func BoxIterations(loops, n, lanes float64) float64 {
	return iterations.Phase(loops*math.Ceil(n/Block), lanes, iterations.Loop(Block, 0))
}

// CrossingIterations bounds a phase of Crossings for all shares of loops of n points. In the worst case, all blocks are
// close to each other.
func CrossingIterations(loops, n, lanes float64) float64 {
	blocks := math.Ceil(n / Block)
	pair := iterations.Loop(Block, iterations.Loop(Block, 0))
	return iterations.Phase(loops*blocks*CrossingShares, lanes, iterations.Loop(math.Ceil(blocks/CrossingShares), pair))
}

// CornerIterations bounds DrawCorners and SortByAngle for n corners. Each corner is redrawn at most maxRedraws times.
func CornerIterations(n float64) float64 {
	drawn := iterations.Loop(n, iterations.Loop(maxRedraws+1, 1)) + (maxRedraws+1)*n*(n-1)/2
	return drawn + CentroidIterations(n) + iterations.Loop(n, 0) + iterations.Loop(n-1, 1) + n*(n-1)/2
}

// CentroidIterations bounds Centroid for n points.
func CentroidIterations(n float64) float64 { return iterations.Loop(n, 0) }

// bezierIterations bounds the kernel bezier. If the smooth loop crosses itself, the kernel draws and resamples the
// curve a second time.
func bezierIterations(corners, samples, points, lanes float64) float64 {
	dense := corners * samples
	curve := iterations.Phase(dense, lanes, 0) + ResampleIterations(dense, points, lanes)
	return iterations.Phase(1, lanes, CornerIterations(corners)) + iterations.Phase(corners, lanes, 0) + 2*curve +
		BoxIterations(1, points, lanes) + CrossingIterations(1, points, lanes)
}

// polarIterations bounds the kernel polar.
func polarIterations(knots, samples, points, lanes float64) float64 {
	dense := knots * samples
	box := iterations.Phase(boxShares, lanes, iterations.Loop(math.Ceil(points/boxShares), 0)) +
		iterations.Phase(1, lanes, 2*iterations.Loop(boxShares, 0))
	return iterations.Phase(1, lanes, iterations.Loop(knots, 0)) + iterations.Phase(knots, lanes, 0) +
		iterations.Phase(dense, lanes, 0) + ResampleIterations(dense, points, lanes) + box +
		iterations.Phase(points, lanes, 0)
}

// maxCorrection bounds how many points the kernel space removes because rounding has put them at or beyond the end of
// the loop. The quotient that gives the number of points is at most 2^30, and its rounding error is smaller than
// maxCorrection.
const maxCorrection = 256

// spaceIterations bounds the kernel space.
func spaceIterations(points, maxPoints, lanes float64) float64 {
	ends := iterations.Loop(points, 0) + iterations.Loop(maxCorrection, 0)
	return iterations.Phase(points, lanes, 0) + iterations.Phase(1, lanes, ends) +
		iterations.Phase(maxPoints, lanes, iterations.Search(points))
}
