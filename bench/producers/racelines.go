package producers

import (
	"context"
	"errors"

	"github.com/trackgen-go/trackgen/backend"
	"github.com/trackgen-go/trackgen/race/raceline"
	"github.com/trackgen-go/trackgen/track"
)

// RunRacelines finds the racing lines of tracks and waits, for tests that need a launch of each kernel.
func RunRacelines(ctx context.Context, device backend.Device, envs int) (err error) {
	c := track.DefaultConfig()
	c.NumEnvs = envs
	tracks, err := track.NewGenerator(device, c)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, tracks.Close()) }()
	lines := raceline.DefaultConfig()
	lines.Rounds, lines.Power = 2, 4
	optimiser, err := raceline.New(device, raceline.SourceOf(tracks.Track()), lines)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, optimiser.Close()) }()
	return errors.Join(optimiser.Refresh(ctx), device.CurrentStream().Sync())
}
