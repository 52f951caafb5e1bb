package distancefield

import (
	"math"

	"github.com/trackgen-go/trackgen/kernel/iterations"
	"github.com/trackgen-go/trackgen/kernels/polyline"
)

// The functions in this file return upper bounds on the loop iterations of one lane: see package iterations.

// cornersIterations bounds the kernel corners.
func cornersIterations(n, lanes float64) float64 {
	return iterations.Phase(parts, lanes, iterations.Loop(math.Ceil(n/parts), 0)) +
		iterations.Phase(1, lanes, iterations.Loop(parts, 0))
}

// bakeIterations bounds the kernel bake. For each block, and for each of the two lines of n points, there are a search
// from the middle of the block, one that looks at all cells of the block for each segment, and one for the crossings.
func bakeIterations(n, lanes float64) float64 {
	leaves := math.Ceil(n / polyline.LeafSegments)
	row := iterations.Loop(blockSide, 0)
	least := polyline.BeginIterations(n) + iterations.Loop(polyline.LeafSegments, 0) + polyline.SearchIterations(n) +
		iterations.Loop(blockCells, 0) + polyline.SearchIterations(n) + n*iterations.Loop(blockCells, 0)
	inside := polyline.SearchIterations(n) + n*iterations.Loop(blockSide, row) + 2*leaves*row
	return iterations.Phase(blocks*blocks, lanes, row+Lines*(least+inside)+iterations.Loop(blockCells, 0))
}
