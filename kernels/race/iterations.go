package race

import "github.com/trackgen-go/trackgen/kernel/iterations"

// tallyIterations bounds the kernel tally.
func tallyIterations() float64 { return iterations.Loop(reasons, 0) }
