package producers

import (
	"context"
	"errors"
	"slices"

	"github.com/trackgen-go/trackgen/backend"
	"github.com/trackgen-go/trackgen/exec"
	"github.com/trackgen-go/trackgen/kernel"
	"github.com/trackgen-go/trackgen/race/reward"
)

// RunRewards rewards agents in a few steps, ends and resets some of them, and waits, for tests that need a launch of
// each kernel.
func RunRewards(ctx context.Context, device backend.Device, envs int) error {
	for _, agents := range []int{1, 3} {
		if err := judge(ctx, device, envs, agents); err != nil {
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
		rewards.Enqueue(lc)
	}
	rewards.EnqueueReset(lc, exec.Array[int32]{})
	rewards.Enqueue(lc)
	return lc.Err()
}
