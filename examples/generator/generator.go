// Package generator adds a track generator to TrackGen, with its own kernel: the loops are circles with waves.
// docs/writing-a-generator.md explains it line by line.
//
//	if err := generator.Register("waves", generator.Defaults); err != nil {
//		...
//	}
//	config := track.DefaultConfig()
//	config.Generator, config.NumEnvs = "waves", 512
//	tracks, err := track.NewGenerator(device, config)
package generator

import (
	"fmt"

	"github.com/trackgen-go/trackgen/exec"
	"github.com/trackgen-go/trackgen/kernel"
	"github.com/trackgen-go/trackgen/pipeline"
	"github.com/trackgen-go/trackgen/track"
)

// Parameters describe the loops.
type Parameters struct {
	Harmonics int     // number of waves in a loop: 1 to 16
	Height    float64 // of the waves, as a fraction of the radius: 0 to 1
	Radius    float64 // of the circle, in units of the configuration's scale: more than 0
}

// Defaults are parameters that give good tracks.
var Defaults = Parameters{Harmonics: 5, Height: 0.5, Radius: 0.6}

// Stage returns the stage that draws the loops of a configuration.
func Stage(c track.Config, p Parameters) exec.Stage {
	harmonics, points := int32(p.Harmonics), int32(c.Output.LoopPoints)
	height, radius := float32(p.Height), float32(p.Radius*c.Scale)
	return pipeline.StageFunc("waves", exec.Static, func(b exec.Builder) (exec.Enqueue, error) {
		active, err := pipeline.Active(b)
		if err != nil {
			return nil, err
		}
		loop, err := pipeline.Output[kernel.Vec2](b, track.LoopOutput, c.Output.LoopPoints)
		if err != nil {
			return nil, err
		}
		envs, seed := b.Envs(), b.Seed()
		return func(lc *exec.LaunchContext) {
			Wave(lc, envs, WaveArgs{
				Active: active.Array(), Seed: seed, Harmonics: harmonics, Points: points, Height: height,
				Radius: radius, Loop: loop,
			})
		}, nil
	})
}

// Register registers the generator with package track under a name.
func Register(name string, p Parameters) error {
	switch {
	case p.Harmonics < 1 || p.Harmonics > maxHarmonics:
		return fmt.Errorf("harmonics is %d: must be 1 to %d", p.Harmonics, maxHarmonics)
	case !(p.Height >= 0 && p.Height <= 1):
		return fmt.Errorf("height is %v: must be 0 to 1", p.Height)
	case !(p.Radius > 0 && p.Radius <= 1e6):
		return fmt.Errorf("radius is %v: must be more than 0, and at most 1e6", p.Radius)
	}
	return track.Register(name, track.Spec{
		Stage:   func(c track.Config) exec.Stage { return Stage(c, p) },
		Kernels: Defs,
	})
}
