package borders

import (
	"github.com/trackgen-go/trackgen/kernel/iterations"
	"github.com/trackgen-go/trackgen/kernels/polyline"
)

// The functions in this file return upper bounds on the loop iterations of one item: see package iterations.

// UpdateIterations bounds Update for lines of n points: the searches for the box and for its motion, and that for each
// corner, along both borders.
func UpdateIterations(n float64) float64 {
	corners := iterations.Loop(4, polyline.SearchIterations(n))
	return iterations.Loop(2, polyline.BeginIterations(n)) +
		3*iterations.Loop(2, polyline.SearchIterations(n)) + 2*corners
}

// queryIterations bounds the kernel query.
func queryIterations(n float64) float64 { return UpdateIterations(n) }

// scanIterations bounds the kernel scan.
func scanIterations(n float64) float64 {
	return 2 * iterations.Loop(2, iterations.Loop(n, 0))
}
