package producers

import (
	"context"
	"errors"

	"github.com/trackgen-go/trackgen/backend"
	"github.com/trackgen-go/trackgen/exec"
	"github.com/trackgen-go/trackgen/race"
	"github.com/trackgen-go/trackgen/track"
)

// RunRace makes steps of races whose episodes end after two of them, and resets them, and waits, for tests that need a
// launch of each kernel.
func RunRace(ctx context.Context, device backend.Device, envs int) error {
	for _, bridges := range []bool{false, true} {
		if err := runRace(ctx, device, envs, bridges); err != nil {
			return err
		}
	}
	return nil
}

// runRace makes the steps of one race, on tracks that may cross themselves or not.
func runRace(ctx context.Context, device backend.Device, envs int, bridges bool) (err error) {
	tracks := track.DefaultConfig()
	tracks.NumEnvs, tracks.Scale, tracks.Road.HalfWidth = envs, 10, 1
	config := race.DefaultConfig()
	config.Course.Tracks, config.Reward.Ends.MaxSteps, config.Bridges = &tracks, 2, bridges
	config.Observe.Motion, config.Observe.Vector = race.MotionChannels(config.Vehicle.Model), true
	if bridges {
		config.Course.Localize.WarmWindow = 8
	}
	r, err := race.New(device, config)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, r.Close()) }()
	actions, err := exec.NewArray[float32](device, 2*envs)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, device.CurrentStream().Sync(), actions.Close()) }()
	for range 4 {
		if err := r.StepActions(ctx, actions); err != nil {
			return err
		}
	}
	return r.Reset(ctx, exec.Array[int32]{})
}
