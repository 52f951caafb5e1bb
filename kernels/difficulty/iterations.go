package difficulty

import "github.com/trackgen-go/trackgen/kernel/iterations"

// measureIterations bounds the loop iterations of the kernel measure.
func measureIterations(points float64) float64 { return 3 * iterations.Loop(points, 0) }
