package producers

import (
	"context"
	"errors"

	"github.com/trackgen-go/trackgen/backend"
	"github.com/trackgen-go/trackgen/course"
	"github.com/trackgen-go/trackgen/exec"
	"github.com/trackgen-go/trackgen/gate"
)

// RunCourse makes steps of gate courses with one agent and with two agents per env, which stand in gates, and
// regenerates some, and waits, for tests that need a launch of each kernel.
func RunCourse(ctx context.Context, device backend.Device, envs int) error {
	for agents := 1; agents <= 2; agents++ {
		if err := runSteps(ctx, device, envs, agents); err != nil {
			return err
		}
	}
	return device.CurrentStream().Sync()
}

func runSteps(ctx context.Context, device backend.Device, envs, agents int) (err error) {
	gates := gate.DefaultConfig()
	gates.NumEnvs, gates.Gate.Width, gates.Gate.Radius, gates.Gate.SeparationSweeps = envs, 0.2, 0.12, 16
	config := course.DefaultConfig()
	config.Gates, config.Agents = &gates, agents
	c, err := course.New(device, config)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, c.Close()) }()
	position, err := c.Source().Gates.Position.Slice(0, envs*agents)
	if err != nil {
		return err
	}
	mask, err := exec.NewArray[int32](device, envs)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, device.CurrentStream().Sync(), mask.Close()) }()
	if err := errors.Join(mask.Write(ctx, append(make([]int32, envs-1), 1)),
		c.Bind(course.Inputs{Position: position})); err != nil {
		return err
	}
	for range 2 {
		if _, err := c.Step(ctx); err != nil {
			return err
		}
		if err := c.Regenerate(ctx, mask); err != nil {
			return err
		}
	}
	return c.Reset(ctx, mask)
}
