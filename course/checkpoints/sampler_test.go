package checkpoints_test

import (
	"context"
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/trackgen-go/trackgen/backend"
	"github.com/trackgen-go/trackgen/course/checkpoints"
	"github.com/trackgen-go/trackgen/course/internal/resample/resampletest"
	"github.com/trackgen-go/trackgen/exec"
	"github.com/trackgen-go/trackgen/gate"
	"github.com/trackgen-go/trackgen/generation"
	"github.com/trackgen-go/trackgen/internal/coursetest"
	"github.com/trackgen-go/trackgen/kernel"
)

func TestColumns(t *testing.T) { require.NoError(t, checkpoints.Schema.Err()) }

// Every wrong configuration is refused before any device work, with the field, its value and what is allowed.
func TestWrongConfigurations(t *testing.T) {
	device := coursetest.OpenCPU(t)
	source := sourceOf(t, device, resampletest.Lines())
	const spacing = ": must be a number > 0 and <= 1000000"
	const room = ": must be a whole number >= 3 and <= 65536, or 0 for the default"
	for want, c := range map[string]checkpoints.Config{
		"spacing is 0" + spacing:             {},
		"spacing is -1" + spacing:            {Spacing: -1},
		"spacing is NaN" + spacing:           {Spacing: math.NaN()},
		"spacing is +Inf" + spacing:          {Spacing: math.Inf(1)},
		"spacing is 1e-60" + spacing:         {Spacing: 1e-60},
		"max_checkpoints is 2" + room:        {Spacing: 1, MaxCheckpoints: 2},
		"max_checkpoints is -3" + room:       {Spacing: 1, MaxCheckpoints: -3},
		"max_checkpoints is 70000" + room:    {Spacing: 1, MaxCheckpoints: 70000},
		"spacing is 0" + spacing + "\nmax_c": {MaxCheckpoints: 1},
	} {
		require.ErrorContains(t, c.Validate(), want)
		_, err := checkpoints.NewSampler(device, source, c)
		require.ErrorContains(t, err, want)
		require.ErrorIs(t, err, checkpoints.ErrConfig)
	}
	many := coursetest.Upload(t, device, make([]int32, 40000))
	points := coursetest.Upload(t, device, make([]kernel.Vec3, 40000))
	_, err := checkpoints.NewSampler(device, checkpoints.Source{Outer: points, Center: points, Inner: points, Count: many,
		Valid: many}, checkpoints.Config{Spacing: 1, MaxCheckpoints: 65536})
	require.ErrorContains(t, err, "max_checkpoints is 65536: must be one with at most 2147483647 in all 40000 envs")
}

// A wrong device or source is refused, and so is a sampler that no constructor has made.
func TestMisuse(t *testing.T) {
	device := coursetest.OpenCPU(t)
	source := sourceOf(t, device, resampletest.Lines())
	_, err := checkpoints.NewSampler(nil, source, settings)
	require.ErrorIs(t, err, backend.ErrInvalid)
	_, err = checkpoints.NewSampler(device, checkpoints.SourceOf(nil), settings)
	require.ErrorContains(t, err, "checkpoints: new sampler: source is without arrays")
	_, err = checkpoints.NewSampler(device, source, settings, nil)
	require.ErrorContains(t, err, "checkpoints: new sampler: option 0 is <nil>")
	for _, option := range []checkpoints.Option{generation.WithSeed(1), generation.WithEpoch(1)} {
		_, err = checkpoints.NewSampler(device, source, settings, option)
		require.ErrorIs(t, err, backend.ErrInvalid)
	}
	_, err = checkpoints.NewSampler(device, source, settings, generation.WithStages(checkpoints.Stage(settings)))
	require.ErrorContains(t, err, "options is stages: must be none")
	_, err = checkpoints.NewSampler(coursetest.OpenCPU(t), source, settings)
	require.ErrorIs(t, err, exec.ErrDeviceMismatch)
	for name, change := range map[string]func(*checkpoints.Source) error{
		"center": func(s *checkpoints.Source) (err error) { s.Center, err = s.Center.Slice(0, 5); return err },
		"inner":  func(s *checkpoints.Source) (err error) { s.Inner, err = s.Inner.Slice(0, 5); return err },
		"outer":  func(s *checkpoints.Source) error { s.Outer = exec.Array[kernel.Vec3]{}; return nil },
		"valid":  func(s *checkpoints.Source) (err error) { s.Valid, err = s.Valid.Slice(0, 1); return err },
	} {
		short := source
		require.NoError(t, change(&short))
		_, err = checkpoints.NewSampler(device, short, settings)
		require.ErrorContains(t, err, name)
		require.ErrorIs(t, err, backend.ErrInvalid)
	}
}

// Calls of a sampler that no constructor has made, that is closed, or in a capture are refused.
func TestMisusedSampler(t *testing.T) {
	ctx, device := context.Background(), coursetest.OpenCPU(t)
	source := sourceOf(t, device, resampletest.Lines())
	var none *checkpoints.Sampler
	_, err := none.Refresh(ctx)
	require.ErrorContains(t, err, "what a constructor made")
	require.NoError(t, none.Close())
	require.Nil(t, none.Set())
	require.Zero(t, none.Config())
	require.True(t, none.Step().IsZero() && none.Truncated().IsZero())
	require.Zero(t, none.Bytes())

	s := newSampler(t, device, source, settings)
	_, err = s.RefreshMasked(ctx, coursetest.Upload(t, device, make([]int32, 9)))
	require.ErrorContains(t, err, "mask")
	stream := device.CurrentStream()
	require.NoError(t, stream.BeginCapture())
	_, err = checkpoints.NewSampler(device, source, checkpoints.Config{Spacing: 1})
	require.ErrorIs(t, err, exec.ErrCapture)
	_, err = s.Set().Read(ctx)
	require.ErrorIs(t, err, exec.ErrCapture)
	graph, err := stream.EndCapture()
	require.NoError(t, err)
	require.NoError(t, graph.Close())
	require.NoError(t, s.Close())
	require.NoError(t, s.Close())
	_, err = s.Refresh(ctx)
	require.ErrorIs(t, err, backend.ErrClosed)
	_, err = s.RefreshMasked(ctx, source.Valid)
	require.ErrorIs(t, err, backend.ErrClosed)
	lc, err := exec.For(ctx, device)
	require.NoError(t, err)
	s.EnqueueRefresh(lc)
	require.ErrorIs(t, lc.Err(), backend.ErrClosed)
}

// The gates of courses are checkpoints, in the same memory.
func TestFromGates(t *testing.T) {
	ctx, device := context.Background(), coursetest.OpenCPU(t)
	c := gate.DefaultConfig()
	c.NumEnvs, c.Gate.Width = 3, 0.3
	g, err := gate.NewGenerator(device, c)
	require.NoError(t, err)
	defer func() { require.NoError(t, g.Close()) }()
	set := checkpoints.FromGates(g.Sequence())
	require.NoError(t, set.Check("test", device))
	host, err := set.Read(ctx)
	require.NoError(t, err)
	gates, err := g.Sequence().Batch(ctx)
	require.NoError(t, err)
	assert.Equal(t, gates.Count, host.Count)
	require.NoError(t, set.Close())
	clone, err := set.Clone(ctx)
	require.NoError(t, err)
	require.NoError(t, g.Sequence().Count.Write(ctx, []int32{1, 2, 3}))
	host, err = set.Read(ctx)
	require.NoError(t, err)
	assert.Equal(t, []int32{1, 2, 3}, host.Count)
	host, err = clone.Read(ctx)
	require.NoError(t, err)
	assert.Equal(t, gates.Count, host.Count)
	k := 0
	for ; !kernel.IsNaN(host.UpHalf[k]); k++ {
		assert.Equal(t, gates.Position[k], host.Position[k])
		assert.Equal(t, gates.Left[k], host.Left[k])
		assert.Equal(t, gates.Right[k], host.Right[k])
		assert.Equal(t, gates.Forward[k], host.Forward[k])
		assert.Equal(t, gates.HalfSize[k], host.UpHalf[k])
	}
	assert.Equal(t, int(gates.Count[0]), k)
	require.NoError(t, clone.Close())

	none := checkpoints.FromGates(nil)
	require.ErrorContains(t, none.Check("test", device), "test: checkpoints is none")
	_, err = none.Read(ctx)
	require.ErrorContains(t, err, "checkpoints: read: checkpoints is none: must be those of a Sampler or of FromGates")
	_, err = (*checkpoints.Set)(nil).Clone(ctx)
	require.ErrorContains(t, err, "checkpoints: clone: checkpoints is none")
	wrong := *set
	wrong.MaxCheckpoints--
	require.ErrorContains(t, wrong.Check("test", device), "position of checkpoints")
	require.ErrorIs(t, set.Check("test", coursetest.OpenCPU(t)), exec.ErrDeviceMismatch)
}
