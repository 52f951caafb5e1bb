package distancefield

import (
	"math"

	"github.com/trackgen-go/trackgen/kernel/iterations"
	"github.com/trackgen-go/trackgen/kernels/heightfield"
	"github.com/trackgen-go/trackgen/kernels/polyline"
)

// The functions in this file return upper bounds on the loop iterations of one lane: see package iterations.

// cornersIterations bounds the kernel corners.
func cornersIterations(n, lanes float64) float64 {
	return iterations.Phase(parts, lanes, iterations.Loop(math.Ceil(n/parts), 0)) +
		iterations.Phase(1, lanes, iterations.Loop(parts, 0))
}

// bakeIterations bounds the kernel bake: for each cell, two searches in each of two lines of n points.
func bakeIterations(n, lanes float64) float64 {
	search := polyline.SearchIterations(n)
	least := polyline.BeginIterations(n) + iterations.Loop(polyline.LeafSegments, 0) + search
	return iterations.Phase(heightfield.TileSide*heightfield.TileSide, lanes, Lines*(least+search))
}
