// Package tracktest helps to test code that uses generators.
package tracktest

import "github.com/trackgen-go/trackgen/track"

// Small returns c with settings that make a slow generator about as fast as the others, for tests that are not about
// the tracks themselves. A repulsive loop grows to about twice its size, with few points and few iterations. It still
// goes through everything that a large one does: three stages, checks, and curves that are done early.
func Small(c track.Config) track.Config {
	if c.Generator != track.Repulsive {
		return c
	}
	c.Output.LoopPoints = 64
	c.Repulsive.MinGrowth, c.Repulsive.MaxGrowth = 1.2, 2.5
	c.Repulsive.GrowthRate = 0.1
	c.Repulsive.SettleIterations, c.Repulsive.StallWindow, c.Repulsive.ResampleEvery = 13, 4, 5
	return c
}

// Config returns the default configuration with the given generator and number of envs, changed by the functions.
func Config(generator string, envs int, changes ...func(*track.Config)) track.Config {
	c := track.DefaultConfig()
	c.Generator, c.NumEnvs = generator, envs
	for _, change := range changes {
		change(&c)
	}
	return c
}

// Loop returns the default first loop with the given generator, changed by the functions, for a component of a mixed
// batch.
func Loop(generator string, changes ...func(*track.FirstLoop)) track.FirstLoop {
	loop := track.DefaultConfig().FirstLoop
	loop.Generator = generator
	for _, change := range changes {
		change(&loop)
	}
	return loop
}
