// Package tracktest helps to test what is built on generators.
package tracktest

import "github.com/trackgen-go/trackgen/track"

// Small returns c with the settings of a slow generator made so small that a track takes about as long as with the others,
// for tests that are not about the tracks themselves. A repulsive loop grows to twice its size, with few points and in few
// iterations, but goes through all that a large one does: three stages, checks, and curves that are done early.
func Small(c track.Config) track.Config {
	if c.Generator != track.Repulsive {
		return c
	}
	c.NumPoints = 64
	c.RepulsiveGrowMultMin, c.RepulsiveGrowMultMax = 1.2, 2.5
	c.RepulsiveRatchetRate = 0.1
	c.RepulsiveSettleIters, c.RepulsiveStallWindow, c.RepulsiveResampleEvery = 13, 4, 5
	return c
}
