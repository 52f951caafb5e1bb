package obstacle

import "github.com/trackgen-go/trackgen/kernel/iterations"

// rowIterations bounds the kernels of which each item visits the n elements of a row.
func rowIterations(n float64) float64 { return iterations.Loop(n, 0) }

// discIterations bounds the kernel touchDiscs: for each disc, two rectangles and four circles.
func discIterations(n float64) float64 {
	return iterations.Loop(n, iterations.Loop(2, iterations.Loop(2, 0))+iterations.Loop(4, 0))
}

// agentIterations bounds the kernel touchAgents: for each other box, the corners of two.
func agentIterations(n float64) float64 {
	return iterations.Loop(n, 2*iterations.Loop(4, 0))
}
