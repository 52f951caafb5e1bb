package producers

import (
	"context"
	"errors"

	"github.com/trackgen-go/trackgen/backend"
	"github.com/trackgen-go/trackgen/course/checkpoints"
	"github.com/trackgen-go/trackgen/course/progress"
	"github.com/trackgen-go/trackgen/course/props"
	"github.com/trackgen-go/trackgen/exec"
	"github.com/trackgen-go/trackgen/kernel"
	"github.com/trackgen-go/trackgen/track"
)

// RunProgress places checkpoints and props on a few tracks with heights, drives agents past the checkpoints, and waits,
// for tests that need a launch of each kernel.
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
	for _, agents := range []int{1, 3} {
		if err := drive(ctx, device, sampler.Set(), agents); err != nil {
			return err
		}
	}
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

// drive makes a few updates of agents that go from checkpoint to checkpoint, each of them from another one on, and
// resets some of them.
func drive(ctx context.Context, device backend.Device, set *checkpoints.Set, agents int) (err error) {
	tracker, err := progress.NewTracker(device, set, progress.Config{Agents: agents})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, tracker.Close()) }()
	host, err := set.Read(ctx)
	if err != nil {
		return err
	}
	values := make([]kernel.Vec3, set.Envs*agents)
	mask := make([]int32, set.Envs)
	for step := range 6 {
		for i := range values {
			env, row := i/agents, i/agents*set.MaxCheckpoints
			k := row + (step+i)%int(max(1, host.Count[env]))
			values[i] = host.Position[k].Add(host.Forward[k].Scale(0.1))
		}
		mask[step%set.Envs] = 1 - mask[step%set.Envs]
		if err := updateAt(ctx, tracker, values, mask); err != nil {
			return err
		}
	}
	return nil
}

// updateAt resets the agents of a mask and makes one update.
func updateAt(ctx context.Context, tracker *progress.Tracker, position []kernel.Vec3, mask []int32) (err error) {
	device := tracker.Arrays().Previous.Device()
	to, err := exec.FromSlice(device, position)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, to.Close()) }()
	selected, err := exec.FromSlice(device, mask)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, selected.Close()) }()
	if err := tracker.Reset(ctx, selected); err != nil {
		return err
	}
	if _, err := tracker.UpdateAt(ctx, to); err != nil {
		return err
	}
	return device.CurrentStream().Sync()
}
