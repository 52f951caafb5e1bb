package heightfield

import (
	"context"
	"errors"
	"fmt"

	"github.com/trackgen-go/trackgen/backend"
	"github.com/trackgen-go/trackgen/exec"
	"github.com/trackgen-go/trackgen/kernel"
	"github.com/trackgen-go/trackgen/track"
)

// Grid is a batch of grids of heights in host memory.
type Grid struct {
	Envs, Resolution int // E, R

	Height    []float32     // [E, R, R], in the middles of the cells: element e*R*R + y*R + x; NaN if not valid
	Low, High []kernel.Vec2 // [E] corners of the grid
}

// Of returns the heights of env e, row by row from the smallest y. e must be in range.
func (g *Grid) Of(e int) []float32 {
	n := g.Resolution * g.Resolution
	return g.Height[e*n : (e+1)*n]
}

// Middle returns the middle of cell (x, y) of env e. e must be in range.
func (g *Grid) Middle(e, x, y int) (east, north float64) {
	at := func(low, high float32, i int) float64 {
		return float64(low) + (float64(i)+0.5)/float64(g.Resolution)*(float64(high)-float64(low))
	}
	return at(g.Low[e].X, g.High[e].X, x), at(g.Low[e].Y, g.High[e].Y, y)
}

// Check returns a *backend.ArgumentError, with op for what the caller is doing, unless the slices have the lengths that
// Envs, from 1 on, and Resolution, from 1 to 4096, say. It is one too for a nil grid.
func (g *Grid) Check(op string) error {
	refuse := func(argument string, value, allowed any) error {
		return &backend.ArgumentError{Op: op, Argument: argument, Value: value, Allowed: fmt.Sprint(allowed)}
	}
	switch {
	case g == nil || g.Envs < 1:
		return refuse("grids", "none", "1 or more")
	case g.Resolution < 1 || g.Resolution > maxResolution:
		return refuse("resolution of grids", g.Resolution, fmt.Sprintf("1 to %d", maxResolution))
	case len(g.Low) != g.Envs:
		return refuse("length of low of grids", len(g.Low), g.Envs)
	case len(g.High) != g.Envs:
		return refuse("length of high of grids", len(g.High), g.Envs)
	case len(g.Height) != g.Envs*g.Resolution*g.Resolution:
		return refuse("length of height of grids", len(g.Height), g.Envs*g.Resolution*g.Resolution)
	}
	return nil
}

// Grid waits for everything emitted so far on the stream that ctx resolves to, and copies the grids to host memory. It
// returns exec.ErrCapture inside a capture.
func (h *Heights) Grid(ctx context.Context) (*Grid, error) {
	const op = "read"
	if h == nil || h.device == nil {
		return nil, &backend.ArgumentError{Op: prefix + op, Argument: "heights", Value: nil, Allowed: "those of a Baker"}
	}
	lc, err := exec.For(ctx, h.device, exec.DefaultStream(h.stream))
	if err != nil {
		return nil, during(op, err)
	}
	if err := exec.RefuseCapture(lc.Stream(), prefix+op,
		"the stream of the call is being captured; do it outside the capture"); err != nil {
		return nil, err
	}
	if err := lc.Stream().Sync(); err != nil {
		return nil, during(op, err)
	}
	ctx = exec.With(ctx, lc)
	g := &Grid{Envs: h.Envs, Resolution: h.Resolution}
	var failed [3]error
	g.Height, failed[0] = h.Height.Read(ctx)
	g.Low, failed[1] = h.Low.Read(ctx)
	g.High, failed[2] = h.High.Read(ctx)
	if err := errors.Join(failed[:]...); err != nil {
		return nil, during(op, err)
	}
	return g, nil
}

// Bake bakes the grids of tracks in host memory on a device: it copies the tracks there and the grids back. It returns
// the errors of NewBaker.
func Bake(ctx context.Context, device backend.Device, tracks *track.Batch, config Config) (_ *Grid, err error) {
	const op = "bake"
	if err := config.Validate(); err != nil {
		return nil, during(op, err)
	}
	if err := exec.CheckDevice(prefix+op, device); err != nil {
		return nil, err
	}
	if tracks == nil || tracks.Envs == 0 {
		return nil, &backend.ArgumentError{Op: prefix + op, Argument: "tracks", Value: "none", Allowed: "1 or more"}
	}
	if err := during(op, config.checkEnvs(tracks.Envs)); err != nil {
		return nil, err
	}
	var closers []interface{ Close() error }
	defer func() {
		for i := len(closers) - 1; i >= 0; i-- {
			err = errors.Join(err, closers[i].Close())
		}
	}()
	source, err := upload(device, tracks, func(c interface{ Close() error }) { closers = append(closers, c) })
	if err != nil {
		return nil, during(op, err)
	}
	baker, err := NewBaker(device, source, config)
	if err != nil {
		return nil, err
	}
	closers = append(closers, baker)
	heights, err := baker.Bake(ctx)
	if err != nil {
		return nil, err
	}
	return heights.Grid(ctx)
}

// upload copies the columns that a baking reads to a device. Each new array is passed to keep, for its owner to close.
func upload(device backend.Device, tracks *track.Batch, keep func(interface{ Close() error })) (s Source, err error) {
	for _, c := range []struct {
		from []kernel.Vec3
		to   *exec.Array[kernel.Vec3]
	}{{tracks.Outer, &s.Outer}, {tracks.Center, &s.Center}, {tracks.Inner, &s.Inner}} {
		if *c.to, err = exec.FromSlice(device, c.from); err != nil {
			return s, err
		}
		keep(*c.to)
	}
	for _, c := range []struct {
		from []int32
		to   *exec.Array[int32]
	}{{tracks.Count, &s.Count}, {tracks.Valid, &s.Valid}} {
		if *c.to, err = exec.FromSlice(device, c.from); err != nil {
			return s, err
		}
		keep(*c.to)
	}
	return s, nil
}
