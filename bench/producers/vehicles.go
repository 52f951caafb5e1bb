package producers

import (
	"context"
	"errors"
	"math"

	"github.com/trackgen-go/trackgen/backend"
	"github.com/trackgen-go/trackgen/course/localise"
	"github.com/trackgen-go/trackgen/exec"
	"github.com/trackgen-go/trackgen/race/vehicle"
	"github.com/trackgen-go/trackgen/track"
)

// RunVehicles moves vehicles of every model along the lines of tracks, resets some of them, and waits, for tests that
// need a launch of each kernel.
func RunVehicles(ctx context.Context, device backend.Device, envs int) (err error) {
	c := track.DefaultConfig()
	c.NumEnvs = envs
	tracks, err := track.NewGenerator(device, c)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, tracks.Close()) }()
	localiser, err := localise.New(device, localise.SourceOf(tracks.Track()), localise.DefaultConfig())
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, localiser.Close()) }()
	for _, model := range vehicle.Models() {
		if err := driveVehicles(ctx, device, localiser, model, envs); err != nil {
			return err
		}
	}
	return device.CurrentStream().Sync()
}

// driveVehicles moves vehicles of a model, which begin with some speed.
func driveVehicles(ctx context.Context, device backend.Device, localiser *localise.Localiser, model string,
	envs int) (err error) {
	c := vehicle.DefaultConfig()
	c.NumEnvs, c.Model, c.Substeps, c.StartSpeed = envs, model, 2, vehicle.Range{Min: -3, Max: 6}
	c.Car.Friction = vehicle.Around(1, 0.5)
	simulator, err := vehicle.New(device, vehicle.Source{}, c)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, simulator.Close()) }()
	values, mask := make([]float32, envs*vehicle.Channels(model)), make([]int32, envs)
	for i := range values {
		values[i] = float32(math.Sin(float64(i)))
	}
	mask[0] = 1
	actions, err := exec.FromSlice(device, values)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, actions.Close()) }()
	chosen, err := exec.FromSlice(device, mask)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, chosen.Close()) }()
	a := localiser.Arrays()
	in := vehicle.Inputs{Actions: actions, Hold: chosen}
	if model != vehicle.Drone {
		in.Ground = vehicle.Ground{Index: a.Index, Segment: localiser.Frames().Segment, MaxPoints: int(a.MaxPoints)}
	}
	for range 4 {
		err = errors.Join(err, localiser.LocateAt(ctx, simulator.State().Position), simulator.StepAt(ctx, in))
	}
	return errors.Join(err, simulator.Reset(ctx, chosen), simulator.StepAt(ctx, vehicle.Inputs{Actions: actions}),
		device.CurrentStream().Sync())
}
