package spawn

import "github.com/trackgen-go/trackgen/kernel/iterations"

// spawnIterations bounds the kernel spawn.
func spawnIterations(points float64) float64 { return iterations.Search(points) }
