//go:build race

package sequences

// slowness is how much longer a program takes than without the race detector.
const slowness = 3
