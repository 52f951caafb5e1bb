package producers

import (
	"context"
	"errors"

	"github.com/trackgen-go/trackgen/backend"
	"github.com/trackgen-go/trackgen/course/line"
	"github.com/trackgen-go/trackgen/course/localise"
	"github.com/trackgen-go/trackgen/course/speed"
	"github.com/trackgen-go/trackgen/gate"
)

// RunLines draws the lines of gate courses with heights, computes their speed profiles, locates the gates on them, and
// waits, for tests that need a launch of each kernel.
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
	planner, err := speed.New(device, speed.SourceOfLine(sampler.Line()), speed.DefaultConfig())
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, planner.Close()) }()
	for _, window := range []int{0, 3} {
		if err := locate(ctx, device, sampler.Line(), gates.Sequence(), window); err != nil {
			return err
		}
	}
	return device.CurrentStream().Sync()
}

// locate finds the gates of courses on their lines, twice, and places agents there.
func locate(ctx context.Context, device backend.Device, lines *line.Line, gates *gate.Sequence,
	window int) (err error) {
	localiser, err := localise.New(device, localise.SourceOfLine(lines),
		localise.Config{Agents: gates.MaxGates, WarmWindow: window})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, localiser.Close()) }()
	f := localiser.Frames()
	at := localise.Spots{S: f.S, N: f.N, NUp: f.NUp}
	to := localise.Poses{Position: gates.Tangent, Orientation: gates.Orientation} // the gates are not needed any more
	return errors.Join(localiser.LocateAt(ctx, gates.Position), localiser.LocateAt(ctx, gates.Position),
		localiser.Reset(ctx, gates.Valid), localiser.Place(ctx, at, to, gates.Valid), device.CurrentStream().Sync())
}
