package borders

import (
	"github.com/trackgen-go/trackgen/kernel/iterations"
	"github.com/trackgen-go/trackgen/kernels/polyline"
)

// The functions in this file return upper bounds on the loop iterations of one item: see package iterations.

// UpdateIterations bounds Update for lines of n points: where the search begins, the searches for the box and for its
// motion, and that for each corner, along both borders.
func UpdateIterations(n float64) float64 {
	corners := iterations.Loop(4, polyline.SearchIterations(n))
	begin := polyline.BeginIterations(n) + iterations.Loop(polyline.LeafSegments, 0)
	return iterations.Loop(3, begin) +
		3*iterations.Loop(2, polyline.SearchIterations(n)) + 2*corners
}

// queryIterations bounds the kernel query.
func queryIterations(n, lanes float64) float64 {
	return iterations.Phase(groupBoxes, lanes, UpdateIterations(n))
}

// scanIterations bounds the kernel scan: the searches for the box and for its motion along both borders, and that for
// each corner.
func scanIterations(n, lanes float64) float64 {
	border := iterations.Loop(n, 0)
	return iterations.Phase(groupBoxes, lanes, 2*iterations.Loop(2, border)+iterations.Loop(8, border))
}
