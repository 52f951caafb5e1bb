package polyline

import (
	"math"

	"github.com/trackgen-go/trackgen/kernel/iterations"
)

// The functions in this file return upper bounds on the loop iterations of one lane: see package iterations.

// SearchIterations bounds a search that visits every node of a line of n points and looks at every segment once.
func SearchIterations(n float64) float64 {
	leaves := math.Ceil(max(n, 1) / LeafSegments)
	return iterations.Loop(2*leaves-1, 0) + leaves*iterations.Loop(LeafSegments, 0) + iterations.Loop(depth(n), 1)
}

// NearestIterations bounds Nearest for a line of n points: the first leaf, and those around it or all others.
func NearestIterations(n float64) float64 {
	leaf := iterations.Loop(LeafSegments, 0)
	return leaf + max(SearchIterations(n), iterations.Loop(mostAway, 2*leaf))
}

// BeginIterations bounds Begin for a line of n points.
func BeginIterations(n float64) float64 { return iterations.Loop(depth(n), 0) }

// FetchIterations bounds Fetch for a number of lines of n points.
func FetchIterations(lines, n float64) float64 {
	return iterations.Loop(lines, iterations.Loop(float64(Fetched(int32(n))), 0))
}

// depth bounds the number of levels below the root.
func depth(n float64) float64 { return math.Ceil(math.Log2(math.Ceil(max(n, 1) / LeafSegments))) }

// pointsIterations bounds the loop that writes the points of a line and clears the rest of it.
func pointsIterations(n, lanes float64) float64 {
	return iterations.Phase(n+4*math.Ceil(n/LeafSegments), lanes, 0) // Size
}

// measureIterations bounds the kernel measure.
func measureIterations(n, lanes float64) float64 { return iterations.Phase(n+1, lanes, 0) }

// buildIterations bounds the kernel build.
func buildIterations(n, lanes float64) float64 {
	leaves := math.Ceil(n / LeafSegments)
	below := depth(n)
	level := iterations.Phase(math.Exp2(max(below-1, 0)), lanes, iterations.Loop(below, 0))
	return pointsIterations(n, lanes) +
		iterations.Phase(leaves, lanes, iterations.Loop(LeafSegments, 0)+iterations.Loop(below, 0)) +
		iterations.Loop(below, 0) + // of the number of levels
		iterations.Loop(below, level) +
		iterations.Phase(1, lanes, 0)
}

// separateIterations bounds the kernel separate.
func separateIterations(n, lanes float64) float64 {
	leaf := iterations.Loop(mostAway+1, 0) + SearchIterations(n) + iterations.Loop(LeafSegments+1, 0)
	return iterations.Phase(math.Ceil(n/LeafSegments), lanes, leaf)
}
