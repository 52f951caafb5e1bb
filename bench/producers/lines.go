package producers

import (
	"context"
	"errors"

	"github.com/trackgen-go/trackgen/backend"
	"github.com/trackgen-go/trackgen/course/line"
	"github.com/trackgen-go/trackgen/gate"
)

// RunLines draws the lines of a few gate courses with heights, and waits, for tests that need a launch of each kernel.
func RunLines(ctx context.Context, device backend.Device, envs int) (err error) {
	c := gate.DefaultConfig()
	c.NumEnvs, c.Gate.Width = envs, 0.1
	c.Elevation.Profile, c.Elevation.Min, c.Elevation.Max, c.Elevation.NoiseAmplitude = "noise", -0.4, 0.4, 0.5
	gates, err := gate.NewGenerator(device, c)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, gates.Close()) }()
	sampler, err := line.New(device, line.SourceOf(gates.Sequence()), line.DefaultConfig())
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, sampler.Close()) }()
	if err := sampler.Refresh(ctx); err != nil {
		return err
	}
	return device.CurrentStream().Sync()
}
