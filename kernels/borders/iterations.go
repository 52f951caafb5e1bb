package borders

import (
	"math"

	"github.com/trackgen-go/trackgen/kernel/iterations"
	"github.com/trackgen-go/trackgen/kernels/obstacle"
	"github.com/trackgen-go/trackgen/kernels/polyline"
)

// The functions in this file return upper bounds on the loop iterations of one item: see package iterations.

// UpdateIterations bounds Update for lines of n points: where the search begins, the search for the box, with two more
// loops over the leaves of at most two runs, and that for each corner, along both borders.
func UpdateIterations(n float64) float64 {
	leaves := math.Ceil(n / polyline.LeafSegments)
	border := polyline.SearchIterations(n) + 2*iterations.Loop(leaves+4, 0)
	begin := polyline.FetchIterations(Lines, n) + polyline.BeginIterations(n) + 2*iterations.Loop(3, 0)
	return begin + iterations.Loop(2, border) +
		iterations.Loop(8, polyline.SearchIterations(n))
}

// UpdateSweptIterations bounds UpdateSwept, which also searches for the motion.
func UpdateSweptIterations(n float64) float64 {
	return UpdateIterations(n) + iterations.Loop(2, polyline.SearchIterations(n))
}

// queryIterations bounds the kernel query.
func queryIterations(n, lanes float64) float64 {
	return iterations.Phase(groupBoxes, lanes, UpdateIterations(n))
}

// querySweptIterations bounds the kernel querySwept.
func querySweptIterations(n, lanes float64) float64 {
	return iterations.Phase(groupBoxes, lanes, UpdateSweptIterations(n))
}

// scanIterations bounds the kernel scan: the searches for the box and for its motion along both borders, and that for
// each corner.
func scanIterations(n, lanes float64) float64 {
	border := iterations.Loop(n, 0)
	return iterations.Phase(groupBoxes, lanes, 2*iterations.Loop(2, border)+iterations.Loop(8, border))
}

// surroundIterations bounds the kernel surround.
func surroundIterations(n, lanes float64) float64 {
	return iterations.Phase(n, lanes, 0) +
		iterations.Phase(math.Ceil(n/polyline.LeafSegments), lanes, 2*polyline.SearchIterations(n)+2*clearanceIterations(n))
}

// queryWithAgentsIterations bounds the kernel queryWithAgents.
func queryWithAgentsIterations(boxes, perGroup, maxPoints, lanes float64) float64 {
	return iterations.Phase(perGroup, lanes, UpdateIterations(maxPoints)) +
		iterations.Phase(perGroup, lanes, obstacle.AgentIterations(boxes))
}

// querySweptWithAgentsIterations bounds the kernel querySweptWithAgents.
func querySweptWithAgentsIterations(boxes, perGroup, maxPoints, lanes float64) float64 {
	return iterations.Phase(perGroup, lanes, UpdateSweptIterations(maxPoints)) +
		iterations.Phase(perGroup, lanes, obstacle.AgentIterations(boxes)) + iterations.Phase(perGroup, lanes, 0)
}

// clearanceIterations bounds clearanceOf: two searches, of which one visits the points of a leaf before it.
func clearanceIterations(n float64) float64 {
	leaves := math.Ceil(n / polyline.LeafSegments)
	points := iterations.Loop(polyline.LeafSegments+1, 0)
	return 2*points + polyline.SearchIterations(n) + leaves*points + polyline.SearchIterations(n)
}
