package producers

import (
	"context"
	"errors"

	"github.com/trackgen-go/trackgen/backend"
	"github.com/trackgen-go/trackgen/course/checkpoints"
	"github.com/trackgen-go/trackgen/course/props"
	"github.com/trackgen-go/trackgen/track"
)

// RunProgress places checkpoints and props on a few tracks with heights, and waits, for tests that need a launch of
// each kernel.
func RunProgress(ctx context.Context, device backend.Device, envs int) (err error) {
	c := track.DefaultConfig()
	c.Generator, c.NumEnvs = track.Hull, envs
	c.Elevation.Profile, c.Elevation.Min, c.Elevation.Max, c.Elevation.MaxStep = "random_walk", -0.5, 0.5, 0.3
	tracks, err := track.NewGenerator(device, c)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, tracks.Close()) }()
	sampler, err := checkpoints.NewSampler(device, checkpoints.SourceOf(tracks.Track()), checkpoints.Config{Spacing: 0.3})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, sampler.Close()) }()
	for _, mode := range []string{props.Points, props.Segments} {
		settings := props.DefaultConfig()
		settings.Spacing, settings.Mode = 0.3, mode
		placed, err := props.NewSampler(device, props.SourceOf(tracks.Track()), settings)
		if err != nil {
			return err
		}
		if err := errors.Join(device.CurrentStream().Sync(), placed.Close()); err != nil {
			return err
		}
	}
	return device.CurrentStream().Sync()
}
