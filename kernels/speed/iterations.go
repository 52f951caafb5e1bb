package speed

import "github.com/trackgen-go/trackgen/kernel/iterations"

// curvatureIterations bounds the loop iterations of one lane of the kernel curvature.
func curvatureIterations(points, window, lanes float64) float64 {
	mean := iterations.Loop(min(2*window+1, points), 0)
	return iterations.Phase(points, lanes, 0) + iterations.Phase(points, lanes, mean)
}

// profileIterations bounds the loop iterations of one lane of the kernel profile.
func profileIterations(points, lanes float64) float64 {
	passes := iterations.Loop(rounds, 2*iterations.Loop(points, 0))
	return iterations.Phase(points, lanes, 0) + iterations.Phase(1, lanes, passes)
}
