package localise

import (
	"github.com/trackgen-go/trackgen/kernel/iterations"
	"github.com/trackgen-go/trackgen/kernels/polyline"
)

// Iterations bounds the loop iterations of Locate for a line of n points.
func Iterations(n, window float64) float64 {
	whole := polyline.BeginIterations(n) + polyline.NearestIterations(n)
	return max(whole, iterations.Loop(min(2*window+1, n), 0))
}

// placeIterations bounds the kernel place.
func placeIterations(points float64) float64 { return iterations.Search(points) }
