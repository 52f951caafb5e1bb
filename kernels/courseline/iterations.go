package courseline

import "github.com/trackgen-go/trackgen/kernel/iterations"

// sampleIterations bounds the loop iterations of one lane of the kernel sample.
func sampleIterations(gates, samples, lanes float64) float64 {
	points := gates * samples
	return 2*iterations.Phase(points, lanes, 0) + iterations.Phase(1, lanes, iterations.Loop(points, 0))
}
