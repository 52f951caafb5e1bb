package producers

import (
	"context"
	"errors"

	"github.com/trackgen-go/trackgen/backend"
	"github.com/trackgen-go/trackgen/course/collision"
	"github.com/trackgen-go/trackgen/exec"
	"github.com/trackgen-go/trackgen/kernel"
	"github.com/trackgen-go/trackgen/kernels/polyline"
	"github.com/trackgen-go/trackgen/track"
)

// RunBorders tests boxes against the borders of a few tracks, by index and by scan, and waits, for tests that need a
// launch of each kernel.
func RunBorders(ctx context.Context, device backend.Device, envs int) (err error) {
	c := track.DefaultConfig()
	c.NumEnvs = envs
	tracks, err := track.NewGenerator(device, c)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, tracks.Close()) }()
	batch, err := tracks.Track().Batch(ctx)
	if err != nil {
		return err
	}
	var position []kernel.Vec3
	for e := range envs {
		k := e * batch.NMax
		position = append(position, batch.Center[k], batch.Inner[k+1], batch.Outer[k].Add(kernel.V3(0.01, 0.02, 0)))
	}
	in, err := boxesAt(device, position)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, in.close()) }()
	for _, c := range []collision.BordersConfig{{Method: collision.ByIndex, Swept: true}, {Method: collision.ByIndex},
		{Method: collision.ByScan, Swept: true}} {
		c.Boxes = len(position) / envs
		if err := runBorders(ctx, device, tracks.Track(), c, in); err != nil {
			return err
		}
	}
	return errors.Join(measureLines(ctx, device, tracks.Track()), device.CurrentStream().Sync())
}

// runBorders tests the boxes against the borders of tracks.
func runBorders(ctx context.Context, device backend.Device, tracks *track.Track,
	config collision.BordersConfig, in obstacleInputs) error {
	borders, err := collision.NewBorders(device, collision.BordersOf(tracks), config)
	if err != nil {
		return err
	}
	return in.askTwice(ctx, tracks.Envs, borders.Reset, borders.Close, func() error {
		_, err := borders.QueryBoxes(ctx, in.boxes)
		return errors.Join(err, in.askWithAgents(ctx, device, tracks.Envs, config.Swept,
			func(lc *exec.LaunchContext, agents *collision.Agents) {
				borders.EnqueueQueryWithAgents(lc, in.boxes, agents)
			}))
	})
}

// measureLines writes the arc lengths of centrelines to an index.
func measureLines(ctx context.Context, device backend.Device, tracks *track.Track) (err error) {
	active := []int32{int32(tracks.Envs)}
	for e := range tracks.Envs {
		active = append(active, int32(e))
	}
	list, err := exec.FromSlice(device, active)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, list.Close()) }()
	n := int32(tracks.NMax)
	index, err := exec.NewArray[kernel.Quat](device, tracks.Envs*int(polyline.Size(n)))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, index.Close()) }()
	lc, err := exec.For(ctx, device)
	if err != nil {
		return err
	}
	polyline.Build(lc, tracks.Envs, polyline.BuildArgs{Active: list, MaxPoints: n, Lines: 1, Line: 0,
		Point: tracks.Center, Count: tracks.Count, Index: index})
	polyline.Separate(lc, tracks.Envs, list, n, 1, 0, index)
	polyline.Measure(lc, tracks.Envs, polyline.MeasureArgs{Active: list, MaxPoints: n, Lines: 1, Line: 0,
		Arclen: tracks.Arclen, Length: tracks.Length, Count: tracks.Count, Index: index})
	return errors.Join(lc.Err(), lc.Stream().Sync())
}
