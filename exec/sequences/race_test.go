//go:build race

package sequences

// slowness is the slowdown of a program under the race detector.
const slowness = 3
