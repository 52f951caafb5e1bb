package collision_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/trackgen-go/trackgen/backend"
	"github.com/trackgen-go/trackgen/course/collision"
	"github.com/trackgen-go/trackgen/exec"
	"github.com/trackgen-go/trackgen/internal/coursetest"
	"github.com/trackgen-go/trackgen/kernel"
)

// Every wrong argument is refused before any device work, with its name, its value and what is allowed.
func TestBordersRefuse(t *testing.T) {
	ctx, device := context.Background(), coursetest.OpenCPU(t, backend.Workers(1))
	other := coursetest.OpenCPU(t, backend.Workers(1))
	four := coursetest.Upload(t, device, make([]kernel.Vec3, 4))
	two := coursetest.Upload(t, device, make([]int32, 2))
	fine := collision.BorderSource{Outer: four, Center: four, Inner: four, Count: two}
	for want, config := range map[string]collision.BordersConfig{
		"boxes is -1: must be a whole number >= 1 and <= 65536, or 0 for 1":    {Boxes: -1},
		"boxes is 65537: must be a whole number >= 1 and <= 65536, or 0 for 1": {Boxes: 65537},
		`method is "sdf": must be one of index, scan`:                          {Method: "sdf"},
	} {
		_, err := collision.NewBorders(device, fine, config)
		require.ErrorContains(t, err, "collision: new borders: "+want)
		isConfig(t, err)
	}
	short, err := four.Slice(0, 2)
	require.NoError(t, err)
	for want, source := range map[string]collision.BorderSource{
		"source is without arrays": collision.BordersOf(nil),
		"center length is 0: must be a multiple of 2, the number of envs, above 0": {Outer: four, Inner: four, Count: two},
		"outer": {Outer: short, Center: four, Inner: four, Count: two},
		"inner": {Outer: four, Center: four, Count: two},
	} {
		_, err := collision.NewBorders(device, source, collision.BordersConfig{})
		require.ErrorContains(t, err, want)
		require.ErrorIs(t, err, backend.ErrInvalid)
	}
	_, err = collision.NewBorders(other, fine, collision.BordersConfig{})
	require.ErrorIs(t, err, exec.ErrDeviceMismatch)
	_, err = collision.NewBorders(nil, fine, collision.BordersConfig{})
	require.ErrorIs(t, err, backend.ErrInvalid)
	stream := device.CurrentStream()
	require.NoError(t, stream.BeginCapture())
	_, err = collision.NewBorders(device, fine, collision.BordersConfig{})
	require.ErrorIs(t, err, exec.ErrCapture)
	graph, err := stream.EndCapture()
	require.NoError(t, err)
	require.NoError(t, graph.Close())
	checkBorderCalls(ctx, t, device, fine)
}

// checkBorderCalls checks what the methods of a checker refuse.
func checkBorderCalls(ctx context.Context, t *testing.T, device backend.Device, source collision.BorderSource) {
	t.Helper()
	b := bordersOf(t, device, source, collision.BordersConfig{Swept: true})
	require.Equal(t, collision.BordersConfig{Boxes: 1, Swept: true}, b.Config())
	before, err := b.Contacts().Read(ctx)
	require.NoError(t, err)
	require.Equal(t, []int32{-1, -1}, before.Boundary)
	require.Equal(t, []int32{-1, -1}, before.FirstBoundary)
	_, err = b.Query(ctx)
	require.ErrorContains(t, err, "inputs is none")
	inputs := boxInputsOf(t, device, boxScene{make([]kernel.Vec3, 2), make([]kernel.Quat, 2), make([]kernel.Vec2, 2)})
	short := inputs.boxes
	short.Orientation, err = short.Orientation.Slice(0, 1)
	require.NoError(t, err)
	require.ErrorContains(t, b.Bind(short), "orientation")
	_, err = b.QueryBoxes(ctx, collision.Boxes{})
	require.ErrorContains(t, err, "position")
	require.NoError(t, b.Bind(inputs.boxes))
	_, err = b.QueryBoxes(ctx, inputs.boxes)
	require.ErrorContains(t, err, "inputs is of the call and of Bind")
	require.ErrorContains(t, b.Reset(ctx, coursetest.Upload(t, device, make([]int32, 9))), "mask")
	wrong := coursetest.Upload(t, device, make([]int32, 3))
	require.ErrorContains(t, b.RefreshMasked(ctx, wrong), "mask")
	lc, err := exec.For(ctx, device)
	require.NoError(t, err)
	b.EnqueueReset(lc, wrong)
	require.ErrorContains(t, lc.Err(), "mask")
	lc, err = exec.For(ctx, device)
	require.NoError(t, err)
	b.EnqueueQueryBoxes(lc, inputs.boxes)
	require.ErrorContains(t, lc.Err(), "inputs is of the call and of Bind")

	var none *collision.Borders
	for _, checker := range []*collision.Borders{none, {}} {
		_, err = checker.Query(ctx)
		require.ErrorIs(t, err, backend.ErrInvalid)
		require.ErrorIs(t, checker.Bind(inputs.boxes), backend.ErrInvalid)
		require.ErrorIs(t, checker.Reset(ctx, wrong), backend.ErrInvalid)
		require.ErrorIs(t, checker.Refresh(ctx), backend.ErrInvalid)
		_, err = checker.Contacts().Clone(ctx)
		require.ErrorIs(t, err, backend.ErrInvalid)
		require.Zero(t, checker.Arrays())
		require.NoError(t, checker.Close())
	}
	require.NoError(t, b.Close())
	_, err = b.Query(ctx)
	require.ErrorIs(t, err, backend.ErrClosed)
	require.ErrorIs(t, b.Refresh(ctx), backend.ErrClosed)
}

// A clone keeps what a later query overwrites.
func TestCloneOfContacts(t *testing.T) {
	ctx, device := context.Background(), coursetest.OpenCPU(t, backend.Workers(1))
	r := &roads{stride: 4}
	square := func(side float32) []kernel.Vec3 {
		return []kernel.Vec3{{X: side, Y: side}, {X: -side, Y: side}, {X: -side, Y: -side}, {X: side, Y: -side}}
	}
	r.add(4, square(1), square(2), square(1.5))
	b := bordersOf(t, device, r.source(t, device), collision.BordersConfig{})
	scene := boxScene{[]kernel.Vec3{{X: 1.25}}, []kernel.Quat{{W: 1}}, []kernel.Vec2{{X: 0.1, Y: 0.1}}}
	inputs := boxInputsOf(t, device, scene)
	require.NoError(t, b.Bind(inputs.boxes))
	contacts, err := b.Query(ctx)
	require.NoError(t, err)
	clone, err := contacts.Clone(ctx)
	require.NoError(t, err)
	scene.position[0].X = 1.9
	inputs.write(scene)
	_, err = b.Query(ctx)
	require.NoError(t, err)
	kept, err := clone.Read(ctx)
	require.NoError(t, err)
	require.Equal(t, []int32{collision.Inner}, kept.Boundary)
	require.InDelta(t, 0.15, kept.Distance[0], 1e-6)
	require.Equal(t, kernel.V2(1, 0), kept.Normal[0])
	now, err := b.Contacts().Read(ctx)
	require.NoError(t, err)
	require.Equal(t, []int32{1}, now.OutOfBounds)
	require.Equal(t, []int32{collision.Outer}, now.Boundary)
	require.Equal(t, kernel.V2(-1, 0), now.Normal[0])
	require.NoError(t, clone.Close())
}
