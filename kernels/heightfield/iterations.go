package heightfield

import (
	"math"

	"github.com/trackgen-go/trackgen/kernel/iterations"
)

// The functions in this file return upper bounds on the loop iterations of one lane: see package iterations.

// walkIterations bounds a search that visits every segment of a line of n points.
func walkIterations(n float64) float64 {
	nodes := math.Ceil(math.Ceil(n/LeafSegments) / NodeLeaves)
	return iterations.Loop(nodes, iterations.Loop(NodeLeaves, iterations.Loop(LeafSegments, 0)))
}

// gridIterations bounds the kernel grid.
func gridIterations(n, lanes float64) float64 {
	leaves := math.Ceil(n / LeafSegments)
	return iterations.Phase(gridParts, lanes, iterations.Loop(math.Ceil(n/gridParts), 0)) +
		iterations.Phase(1, lanes, iterations.Loop(gridParts, 0)) +
		iterations.Phase(leaves, lanes, 3*iterations.Loop(LeafSegments, 0)) +
		iterations.Phase(math.Ceil(leaves/NodeLeaves), lanes, 3*iterations.Loop(nodeSegments, 0))
}

// tileIterations bounds a phase over the cells of a tile. For each, there are the given number of walks through a line
// of n points, and the search for a segment to begin with.
func tileIterations(n, walks, lanes float64) float64 {
	begin := iterations.Loop(math.Ceil(n/LeafSegments), 0)
	return iterations.Phase(TileSide*TileSide, lanes, begin+walks*walkIterations(n))
}

// nearestIterations bounds the kernels nearest and reach.
func nearestIterations(n, lanes float64) float64 { return tileIterations(n, 1, lanes) }

// smoothIterations bounds the kernel smooth.
func smoothIterations(n, lanes float64) float64 { return tileIterations(n, 2, lanes) }
