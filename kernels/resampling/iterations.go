package resampling

import "github.com/trackgen-go/trackgen/kernel/iterations"

// The functions in this file return upper bounds on the loop iterations of one lane: see package iterations.

// measureIterations bounds the kernel measureLine.
func measureIterations(n, lanes float64) float64 {
	return iterations.Phase(n, lanes, 0) + iterations.Phase(1, lanes, iterations.Loop(n, 0))
}

// placeIterations bounds a kernel that makes the given number of searches for each of room items.
func placeIterations(room, n, searches, lanes float64) float64 {
	return iterations.Phase(room, lanes, searches*iterations.Search(n))
}
