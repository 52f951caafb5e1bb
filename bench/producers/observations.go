package producers

import (
	"context"
	"errors"
	"slices"

	"github.com/trackgen-go/trackgen/backend"
	"github.com/trackgen-go/trackgen/exec"
	"github.com/trackgen-go/trackgen/gate"
	"github.com/trackgen-go/trackgen/kernel"
	"github.com/trackgen-go/trackgen/race/preview"
	"github.com/trackgen-go/trackgen/race/rangefinder"
	"github.com/trackgen-go/trackgen/track"
)

// RunObservations observes the way ahead of agents on a few tracks and gate courses, and measures ranges there, and
// waits, for tests that need a launch of each kernel.
func RunObservations(ctx context.Context, device backend.Device, envs int) (err error) {
	c := track.DefaultConfig()
	c.NumEnvs = envs
	tracks, err := track.NewGenerator(device, c)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, tracks.Close()) }()
	g := gate.DefaultConfig()
	g.NumEnvs, g.Gate.Width = envs, 0.2
	gates, err := gate.NewGenerator(device, g)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, gates.Close()) }()
	if err := lookAhead(ctx, device, tracks.Track()); err != nil {
		return err
	}
	if err := lookAtGates(ctx, device, gates.Sequence()); err != nil {
		return err
	}
	for _, frame := range []string{rangefinder.Body, rangefinder.Level} { // a search for each beam, and one for all
		if err := measureRanges(ctx, device, frame, tracks.Track(), gates.Sequence()); err != nil {
			return err
		}
	}
	return device.CurrentStream().Sync()
}

// lookAhead observes the way ahead of agents at all points of tracks.
func lookAhead(ctx context.Context, device backend.Device, tracks *track.Track) (err error) {
	c := preview.DefaultConfig()
	c.Agents = tracks.Center.Len() / tracks.Count.Len()
	c.Channels = slices.DeleteFunc(preview.Channels(), func(name string) bool { return name == preview.Speed })
	turns, err := exec.NewArray[kernel.Quat](device, tracks.Center.Len())
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, turns.Close()) }()
	ahead, err := preview.New(device, preview.SourceOf(tracks), c)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, ahead.Close()) }()
	return ahead.UpdateAt(ctx, preview.Inputs{Position: tracks.Center, Orientation: turns, S: tracks.Arclen})
}

// lookAtGates observes the gates from each of them.
func lookAtGates(ctx context.Context, device backend.Device, courses *gate.Sequence) (err error) {
	c := preview.DefaultGateConfig()
	c.Agents, c.Channels = courses.MaxGates, preview.GateChannels()
	target, err := exec.NewArray[int32](device, courses.Position.Len())
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, target.Close()) }()
	gates, err := preview.NewGates(device, preview.GatesOf(courses), c)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, gates.Close()) }()
	return gates.UpdateAt(ctx, preview.GateInputs{Position: courses.Position, Orientation: courses.Orientation,
		Target: target})
}

// measureRanges measures the ranges of agents at the gates of courses to the borders of tracks, to each other, and to
// discs and frames at the gates.
func measureRanges(ctx context.Context, device backend.Device, frame string, tracks *track.Track,
	courses *gate.Sequence) (err error) {
	c := rangefinder.DefaultConfig()
	c.Agents, c.Frame, c.SeeAgents, c.Sigma, c.Dropout = courses.MaxGates, frame, true, 0.01, 0.1
	half, err := exec.NewArray[kernel.Vec2](device, courses.Position.Len())
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, half.Close()) }()
	source := rangefinder.SourceOf(tracks)
	source.Discs, source.Frames = courses.Left, rangefinder.SourceOfFrames(courses).Frames
	finder, err := rangefinder.New(device, source, c)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, finder.Close()) }()
	inputs := rangefinder.Inputs{Position: courses.Position, Orientation: courses.Orientation, HalfExtents: half}
	return errors.Join(finder.UpdateAt(ctx, inputs), finder.Reset(ctx, courses.Valid))
}
