package gate

import (
	"github.com/trackgen-go/trackgen/kernel/iterations"
	"github.com/trackgen-go/trackgen/kernels/centerline"
	"github.com/trackgen-go/trackgen/kernels/elevation"
)

// The functions in this file return upper bounds on the loop iterations of one lane: see package iterations.

// cornersIterations bounds the kernel corners.
func cornersIterations(corners, lanes float64) float64 {
	return iterations.Phase(1, lanes, centerline.CornerIterations(corners))
}

// ringIterations bounds the kernels knots and ring.
func ringIterations(n, lanes float64) float64 {
	return iterations.Phase(1, lanes, iterations.Loop(n, 0)) + iterations.Phase(n, lanes, 0)
}

// spreadIterations bounds the kernel spread.
func spreadIterations(loop, points, lanes float64) float64 {
	return centerline.ResampleIterations(loop, points, lanes)
}

// alongIterations bounds the kernel along.
func alongIterations(gates, points, lanes float64) float64 {
	return iterations.Phase(1, lanes, 0) + iterations.Phase(gates, lanes, iterations.Search(points))
}

// pairIterations bounds a loop over all pairs of n gates.
func pairIterations(n float64) float64 { return iterations.Loop(n, 1) + n*(n-1)/2 }

// arrangeIterations bounds the kernel arrange.
func arrangeIterations(gates, sweeps, harmonics, lanes float64) float64 {
	pairs := iterations.Loop(gates, 0)/2 + 1
	random := iterations.Loop(pairs, 0) + iterations.Loop(pairs, iterations.Loop(pairs, 0)+iterations.Loop(2, 0))
	order := iterations.Phase(1, lanes, max(random, centerline.CornerIterations(gates))) +
		2*iterations.Phase(gates, lanes, 0) + iterations.Loop(gates, 0)
	lengths := iterations.Loop(gates, 0) + elevation.WalkIterations(gates)
	apart := iterations.Phase(1, lanes, iterations.Loop(sweeps, pairIterations(gates))+lengths)
	return order + apart + iterations.Phase(gates, lanes, elevation.HeightIterations(harmonics))
}

// frameIterations bounds the kernel frame.
func frameIterations(gates, lanes float64) float64 {
	return iterations.Phase(gates, lanes, 0) + iterations.Phase(gates, lanes, iterations.Loop(gates, 0)) +
		iterations.Phase(1, lanes, 0)
}
