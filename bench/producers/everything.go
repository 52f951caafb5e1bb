package producers

import (
	"context"
	"errors"
	"fmt"

	"github.com/trackgen-go/trackgen/backend"
	"github.com/trackgen-go/trackgen/bench/parity"
	"github.com/trackgen-go/trackgen/gate"
	"github.com/trackgen-go/trackgen/heightfield"
	"github.com/trackgen-go/trackgen/track"
	"github.com/trackgen-go/trackgen/track/tracktest"
)

// RunEverything runs almost every kernel of Defs on small batches, with numbers of envs and points around the number of
// lanes of a processor.
func RunEverything(ctx context.Context, device backend.Device) error {
	for _, name := range track.Generators() {
		configs := []track.Config{tracktest.Small(tracktest.Config(name, 17))}
		for _, points := range []int{31, 32, 33, 40} {
			configs = append(configs, tracktest.Small(tracktest.Config(name, 9, func(c *track.Config) {
				c.Output.LoopPoints, c.Output.MaxPoints, c.Output.Spacing, c.Relax.Sweeps = points, points, 0.3, 12
			})))
		}
		for _, c := range configs {
			if err := runTracks(ctx, device, c); err != nil {
				return fmt.Errorf("%s tracks: %w", name, err)
			}
		}
	}
	for _, name := range gate.Generators() {
		if err := runGates(ctx, device, name); err != nil {
			return fmt.Errorf("%s gates: %w", name, err)
		}
	}
	for _, mode := range []string{heightfield.Nearest, heightfield.Smooth} {
		c := heightfield.DefaultConfig()
		c.Resolution, c.Blend.Mode = 20, mode
		modes := []parity.Mode{parity.Masked}
		if _, err := parity.CompareHeights(ctx, []backend.Device{device}, c, 2, 5, modes, nil); err != nil {
			return fmt.Errorf("%s heights: %w", mode, err)
		}
	}
	for _, run := range []func(context.Context, backend.Device, int) error{
		RunProgress, RunObstacles, RunBorders, RunLines, RunRacelines, RunCourse, RunObservations, RunVehicles,
		RunPursuit, RunFlight, RunRace, RunRewards,
	} {
		if err := run(ctx, device, 3); err != nil {
			return err
		}
	}
	return nil
}

func runTracks(ctx context.Context, device backend.Device, c track.Config) (err error) {
	generator, err := track.NewGenerator(device, c)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, generator.Close()) }()
	_, err = generator.Generate(ctx)
	return err
}

func runGates(ctx context.Context, device backend.Device, name string) (err error) {
	c := gate.DefaultConfig()
	c.Generator, c.NumEnvs, c.Gate.Width, c.Candidates = name, 17, 0.25, 3
	c.Elevation.Profile, c.Elevation.Min, c.Elevation.Max = "noise", -0.4, 0.4
	generator, err := gate.NewGenerator(device, c)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, generator.Close()) }()
	_, err = generator.Generate(ctx)
	return err
}
