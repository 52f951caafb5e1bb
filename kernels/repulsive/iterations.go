package repulsive

import (
	"math"

	"github.com/trackgen-go/trackgen/kernel/iterations"
	"github.com/trackgen-go/trackgen/kernels/centerline"
)

// beginIterations bounds the loop iterations of the kernel begin.
func beginIterations(points, discs, walls, lanes float64) float64 {
	drawn := iterations.Loop(discs, iterations.Loop(DiscPoints, 0))
	return iterations.Phase(walls, lanes, 0) + iterations.Phase(1, lanes, drawn) +
		iterations.Phase(points, lanes, 0)
}

// GrowIterations bounds the loop iterations of the kernel grow for curves that have before points at first and points
// points at the end. growth is the number of iterations of their growth, and obstacles the maximum number of points of
// obstacles.
func GrowIterations(before, points, growth, resampleEvery, obstacles, lanes float64) float64 {
	phase := iterations.Phase(points, lanes, 0)
	pairs := iterations.Loop(math.Floor(points/2/Reach), 2*iterations.Phase(points, lanes, iterations.Loop(Reach, 0)))
	return growIterations(before, points, growth, resampleEvery, lanes,
		phase+pairs+iterations.Phase(points, lanes, iterations.Loop(obstacles, 0)))
}

// GrowPowersIterations is GrowIterations for the kernel growPowers.
func GrowPowersIterations(before, points, growth, resampleEvery, obstacles, lanes float64) float64 {
	return growIterations(before, points, growth, resampleEvery, lanes,
		iterations.Phase(points, lanes, iterations.Loop(points, 0)+iterations.Loop(obstacles, 0)))
}

// growIterations bounds the loop iterations of a growth, of which the forces take so many in each iteration.
func growIterations(before, points, growth, resampleEvery, lanes, forces float64) float64 {
	phase := iterations.Phase(points, lanes, 0)
	sum := iterations.Phase(blocks, lanes, iterations.Loop(share, 0)) + iterations.Loop(blocks, 0)
	step := 9*phase + forces + 3*sum + iterations.Phase(points, lanes, iterations.Loop(math.Ceil(points/2), 0))
	spreads := min(growth, math.Floor(growth/max(1, resampleEvery))+2)
	spread := centerline.ResampleIterations(max(before, points), points, lanes) + phase
	return iterations.Phase(before, lanes, 0) + iterations.Loop(growth, step) + spreads*spread + phase +
		iterations.Phase(1, lanes, 0)
}

// stopIterations bounds the loop iterations of the kernel stop.
func stopIterations(points, spreads, lanes float64) float64 {
	phase := iterations.Phase(points, lanes, 0)
	spread := centerline.ResampleIterations(points, points, lanes) + phase
	return 2*phase + iterations.Phase(blocks, lanes, iterations.Loop(share, 0)) + iterations.Loop(blocks, 0) +
		iterations.Loop(spreads, spread) + iterations.Phase(1, lanes, 0)
}
