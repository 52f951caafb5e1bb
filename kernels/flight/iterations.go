package flight

import "github.com/trackgen-go/trackgen/kernel/iterations"

// flyIterations bounds the kernel fly for lines of n points.
func flyIterations(n float64) float64 {
	return iterations.Loop(max(2*window+1, n), 0) + 3*iterations.Loop(n, 0)
}
