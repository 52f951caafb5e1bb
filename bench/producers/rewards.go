package producers

import (
	"context"
	"errors"
	"slices"

	"github.com/trackgen-go/trackgen/backend"
	"github.com/trackgen-go/trackgen/exec"
	"github.com/trackgen-go/trackgen/kernel"
	"github.com/trackgen-go/trackgen/race/reward"
	"github.com/trackgen-go/trackgen/race/spawn"
	"github.com/trackgen-go/trackgen/track"
)

// RunRewards puts agents on a few tracks, rewards agents in a few steps, ends and resets some of them, and waits, for
// tests that need a launch of each kernel.
func RunRewards(ctx context.Context, device backend.Device, envs int) error {
	for _, agents := range []int{1, 3} {
		if err := judge(ctx, device, envs, agents); err != nil {
			return err
		}
		if err := spawnOn(ctx, device, envs, agents); err != nil {
			return err
		}
	}
	return device.CurrentStream().Sync()
}

// judge makes a few steps of agents on lines of length 1.
func judge(ctx context.Context, device backend.Device, envs, agents int) (err error) {
	length, err := exec.FromSlice(device, slices.Repeat([]float32{1}, envs))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, length.Close()) }()
	c := reward.DefaultConfig()
	c.Agents, c.Channels, c.Walls, c.Ends.OffRoad, c.Ends.OffRoadTime = agents, 2, true, true, 0.06
	c.Ends.StuckTime, c.Ends.StuckProgress, c.Weights.Smoothness, c.Weights.Travel = 0.1, 0.3, -0.1, 0.01
	rewards, err := reward.New(device, reward.Source{Length: length}, c)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, rewards.Close()) }()
	s, err := exec.NewArray[float32](device, envs*agents)
	if err != nil {
		return err
	}
	events, err := exec.NewArray[int32](device, envs*agents)
	if err != nil {
		return errors.Join(err, s.Close())
	}
	velocity, err := exec.NewArray[kernel.Vec3](device, envs*agents)
	if err != nil {
		return errors.Join(err, s.Close(), events.Close())
	}
	action, err := exec.NewArray[float32](device, 2*envs*agents)
	if err != nil {
		return errors.Join(err, s.Close(), events.Close(), velocity.Close())
	}
	defer func() {
		err = errors.Join(err, device.CurrentStream().Sync(), s.Close(), events.Close(), velocity.Close(), action.Close())
	}()
	err = rewards.Bind(reward.Inputs{S: s, CheckpointPassed: events, Action: action, N: s, Distance: s,
		OutOfBounds: events, Hit: events, Obstacle: events, Velocity: velocity})
	if err != nil {
		return err
	}
	return judgeSteps(ctx, device, rewards, s, events)
}

// judgeSteps drives one and a half times around the lines. Checkpoint 0 is passed once, and every agent that has ended
// begins again.
func judgeSteps(ctx context.Context, device backend.Device, rewards *reward.Judge, s exec.Array[float32],
	events exec.Array[int32]) error {
	lc, err := exec.For(ctx, device)
	if err != nil {
		return err
	}
	for step := range 12 {
		exec.Fill(lc, s, float32(step%8)/8)
		exec.Fill(lc, events, int32(step%4)-1)
		rewards.EnqueueReset(lc, rewards.Outcomes().Done)
		rewards.EnqueueUpdate(lc)
	}
	rewards.EnqueueReset(lc, exec.Array[int32]{})
	rewards.EnqueueUpdate(lc)
	return lc.Err()
}

// spawnOn puts agents on tracks with hills, in each mode.
func spawnOn(ctx context.Context, device backend.Device, envs, agents int) (err error) {
	c := track.DefaultConfig()
	c.NumEnvs = envs
	c.Elevation.Profile, c.Elevation.Min, c.Elevation.Max, c.Elevation.NoiseAmplitude = "noise", -0.4, 0.4, 0.5
	tracks, err := track.NewGenerator(device, c)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, tracks.Close()) }()
	position, err := exec.NewArray[kernel.Vec3](device, envs*agents)
	if err != nil {
		return err
	}
	orientation, err := exec.NewArray[kernel.Quat](device, envs*agents)
	if err != nil {
		return errors.Join(err, position.Close())
	}
	velocity, err := exec.NewArray[kernel.Vec3](device, envs*agents)
	if err != nil {
		return errors.Join(err, position.Close(), orientation.Close())
	}
	defer func() {
		err = errors.Join(err, device.CurrentStream().Sync(), position.Close(), orientation.Close(), velocity.Close())
	}()
	for _, mode := range []string{spawn.Start, spawn.Anywhere, spawn.Grid} {
		settings := spawn.DefaultConfig()
		settings.Agents, settings.Mode, settings.Attitude, settings.Grid.RowSpacing = agents, mode, spawn.Pitched, 0.1
		settings.Lateral, settings.Yaw = spawn.Range{Min: -1, Max: 1}, spawn.Range{Min: -2, Max: 2}
		spawner, err := spawn.New(device, spawn.SourceOf(tracks.Track()), settings)
		if err != nil {
			return err
		}
		err = spawner.SpawnAt(ctx, spawn.Agents{Position: position, Orientation: orientation, Velocity: velocity},
			tracks.Track().Valid)
		if err = errors.Join(err, device.CurrentStream().Sync(), spawner.Close()); err != nil {
			return err
		}
	}
	return nil
}
