//go:build cgo && linux

package main

import (
	"context"
	"errors"
	"fmt"

	"github.com/trackgen-go/trackgen/backend"
	"github.com/trackgen-go/trackgen/exec"
	"github.com/trackgen-go/trackgen/kernel"
	"github.com/trackgen-go/trackgen/kernels/checkpoint"
	"github.com/trackgen-go/trackgen/kernels/selection"
	"github.com/trackgen-go/trackgen/track"
)

// A direct launch runs a kernel as a large generation does, which a generation of four tracks does not show.
type direct struct {
	of     string // what the launch is of, for the table
	launch func(ctx context.Context, lc *exec.LaunchContext, a *arrays)
}

// manyEnvs is how many envs a large generation has.
const manyEnvs = 4096

// steerEnvs is how many of them are a group of steer.
var steerEnvs = checkpoint.SteerEnvs(manyEnvs, track.DefaultConfig().Checkpoint.BestOf)

// directs are in the order in which they are measured.
var directs = []direct{
	{fmt.Sprintf("%d-envs", steerEnvs), steerMany},
	{fmt.Sprintf("%d-envs", manyEnvs), compactMany},
	{fmt.Sprintf("%d-envs", manyEnvs), narrowMany},
}

// steerMany steers the candidates of a full group.
func steerMany(ctx context.Context, lc *exec.LaunchContext, a *arrays) {
	c := track.DefaultConfig()
	candidates, checkpoints, points := c.Checkpoint.BestOf, c.Checkpoint.Count, c.Output.LoopPoints
	rows := steerEnvs * candidates
	seed := make([]int32, steerEnvs)
	for e := range seed {
		seed[e] = int32(e)
	}
	checkpoint.Steer(lc, 1, checkpoint.SteerArgs{
		Active: listOf(ctx, a, int32(steerEnvs)), Seed: filled(ctx, a, seed), PerGroup: int32(steerEnvs),
		Candidates: int32(candidates), Checkpoints: int32(checkpoints), NumPoints: int32(points),
		MinRadius: float32(c.Checkpoint.MinRadius), AngleJitter: float32(c.Checkpoint.AngularJitter),
		TurnRate: float32(c.Checkpoint.TurnRate), Gain: float32(c.Checkpoint.SteeringGain),
		Lookahead: float32(c.Checkpoint.Lookahead), Ring: room[kernel.Vec2](a, rows*checkpoints),
		Heading: room[float32](a, rows*points), Drift: room[float32](a, rows), Mean: room[kernel.Vec2](a, rows),
		Point: room[kernel.Vec2](a, rows*points), Crossings: room[int32](a, rows),
	})
}

// compactMany lists every third of many envs.
func compactMany(ctx context.Context, lc *exec.LaunchContext, a *arrays) {
	selection.Compact(lc, selection.Groups(manyEnvs), manyEnvs, filled(ctx, a, thirds()), room[int32](a, manyEnvs+1))
}

// narrowMany takes every third from a list of many envs.
func narrowMany(ctx context.Context, lc *exec.LaunchContext, a *arrays) {
	from, mask := listOf(ctx, a, manyEnvs), filled(ctx, a, thirds())
	selection.Narrow(lc, selection.Groups(manyEnvs), from, mask, room[int32](a, manyEnvs+1))
}

// thirds is a mask of every third of many envs.
func thirds() []int32 {
	mask := make([]int32, manyEnvs)
	for e := range mask {
		if e%3 == 0 {
			mask[e] = 1
		}
	}
	return mask
}

// run launches on the device, and waits.
func (d direct) run(ctx context.Context, device backend.Device) (err error) {
	a := &arrays{device: device}
	defer func() { err = errors.Join(err, a.close()) }()
	lc, err := exec.OnCurrentStream(device)
	if err != nil {
		return err
	}
	d.launch(ctx, lc, a)
	return errors.Join(a.err, lc.Err(), device.DefaultStream().Sync())
}

// arrays are those of a launch. The first error stays in err.
type arrays struct {
	device  backend.Device
	closers []func() error
	err     error
}

func (a *arrays) close() (err error) {
	for _, c := range a.closers {
		err = errors.Join(err, c())
	}
	return err
}

// room returns an array of n elements.
func room[T kernel.Element](a *arrays, n int) exec.Array[T] {
	array, err := exec.NewArray[T](a.device, n)
	if err != nil {
		a.err = errors.Join(a.err, err)
		return array
	}
	a.closers = append(a.closers, array.Close)
	return array
}

// filled returns an array with the given content.
func filled(ctx context.Context, a *arrays, content []int32) exec.Array[int32] {
	array := room[int32](a, len(content))
	if a.err == nil {
		a.err = array.Write(ctx, content)
	}
	return array
}

// listOf returns a list of all of n envs.
func listOf(ctx context.Context, a *arrays, n int32) exec.Array[int32] {
	list := make([]int32, n+1)
	list[0] = n
	for e := range n {
		list[e+1] = e
	}
	return filled(ctx, a, list)
}
