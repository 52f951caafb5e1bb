package elevation

import "github.com/trackgen-go/trackgen/kernel/iterations"

// WalkIterations bounds Walk for n slots.
func WalkIterations(n float64) float64 { return iterations.Loop(n, 0) }

// HeightIterations bounds Height.
func HeightIterations(harmonics float64) float64 { return iterations.Loop(harmonics, 0) }
