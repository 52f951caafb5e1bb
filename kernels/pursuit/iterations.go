package pursuit

import "github.com/trackgen-go/trackgen/kernel/iterations"

// steerIterations bounds the kernel steer for lines of n points.
func steerIterations(n float64) float64 {
	return iterations.Loop(2*window+1, 0) + 4*iterations.Search(n)
}
