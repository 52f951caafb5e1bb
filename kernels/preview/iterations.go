package preview

import "github.com/trackgen-go/trackgen/kernel/iterations"

// noteIterations bounds the kernel note.
func noteIterations(n, lanes float64) float64 {
	rows := Quats*(n+1) + 1
	return iterations.Loop(n, 0) + 2*iterations.Phase(rows, lanes, 0)
}

// lookIterations bounds the kernel lookAhead.
func lookIterations(n, places, channels, lanes float64) float64 {
	return iterations.Phase(places*channels, lanes, 0) + iterations.Phase(places, lanes, 2*iterations.Search(n))
}

// gateIterations bounds the kernel lookAtGates.
func gateIterations(places, channels, lanes float64) float64 {
	return iterations.Phase(places*channels, lanes, 0) + iterations.Phase(places, lanes, 0)
}
