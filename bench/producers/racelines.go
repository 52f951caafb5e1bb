package producers

import (
	"context"
	"errors"

	"github.com/trackgen-go/trackgen/backend"
	"github.com/trackgen-go/trackgen/exec"
	"github.com/trackgen-go/trackgen/race/curriculum"
	"github.com/trackgen-go/trackgen/race/difficulty"
	"github.com/trackgen-go/trackgen/race/raceline"
	"github.com/trackgen-go/trackgen/track"
)

// RunRacelines finds the racing lines of tracks, labels the tracks, chooses others, and waits, for tests that need a
// launch of each kernel.
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
	assessor, err := difficulty.New(device, difficulty.SourceOf(tracks.Track(), optimiser.Line()),
		difficulty.DefaultConfig())
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, assessor.Close()) }()
	settings := curriculum.DefaultConfig()
	settings.Tries, settings.Car = 2, lines
	chooser, err := curriculum.New(device, c, curriculum.SourceOf(tracks.Seeds()), settings)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, chooser.Close()) }()
	target, err := exec.FromSlice(device, make([]float32, envs))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, target.Close()) }()
	return errors.Join(optimiser.Refresh(ctx), assessor.Refresh(ctx), chooser.Choose(ctx, target, exec.Array[int32]{}),
		device.CurrentStream().Sync())
}
