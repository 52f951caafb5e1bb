package producers

import (
	"context"
	"errors"

	"github.com/trackgen-go/trackgen/backend"
	"github.com/trackgen-go/trackgen/course/speed"
	"github.com/trackgen-go/trackgen/exec"
	"github.com/trackgen-go/trackgen/kernel"
	"github.com/trackgen-go/trackgen/race/flight"
	"github.com/trackgen-go/trackgen/track"
)

// RunFlight flies drones, which are at the points of tracks, along the centrelines, and waits, for tests that need
// a launch of each kernel.
func RunFlight(ctx context.Context, device backend.Device, envs int) (err error) {
	tracks := track.DefaultConfig()
	tracks.NumEnvs = envs
	generator, err := track.NewGenerator(device, tracks)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, generator.Close()) }()
	planner, err := speed.New(device, speed.SourceOf(generator.Track()), speed.DefaultConfig())
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, planner.Close()) }()
	drones := flight.DefaultConfig()
	drones.Agents = generator.Track().NMax
	controller, err := flight.New(device, flight.SourceOf(generator.Track(), planner.Profile()), drones)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, controller.Close()) }()
	segment, err := exec.NewArray[int32](device, envs*drones.Agents)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, segment.Close()) }()
	orientation, err := exec.NewArray[kernel.Quat](device, envs*drones.Agents)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, device.CurrentStream().Sync(), orientation.Close()) }()
	points := generator.Track().Center
	return controller.UpdateAt(ctx, flight.Inputs{Position: points, Orientation: orientation, Velocity: points,
		Segment: segment})
}
