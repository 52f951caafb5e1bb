package props_test

import (
	"context"
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/trackgen-go/trackgen/backend"
	"github.com/trackgen-go/trackgen/course/internal/resample/resampletest"
	"github.com/trackgen-go/trackgen/course/props"
	"github.com/trackgen-go/trackgen/exec"
	"github.com/trackgen-go/trackgen/generation"
	"github.com/trackgen-go/trackgen/internal/coursetest"
	"github.com/trackgen-go/trackgen/kernel"
)

func TestColumns(t *testing.T) { require.NoError(t, props.Schema.Err()) }

// Every wrong configuration is refused before any device work, with the field, its value and what is allowed.
func TestWrongConfigurations(t *testing.T) {
	device := coursetest.OpenCPU(t)
	source := sourceOf(t, device, resampletest.Lines())
	const spacing = ": must be a number > 0 and <= 1000000"
	const room = ": must be a whole number >= 3 and <= 65536, or 0 for the default"
	for want, change := range map[string]func(*props.Config){
		"spacing is 0" + spacing:                                  func(c *props.Config) { c.Spacing = 0 },
		"spacing is NaN" + spacing:                                func(c *props.Config) { c.Spacing = math.NaN() },
		"spacing is +Inf" + spacing:                               func(c *props.Config) { c.Spacing = math.Inf(1) },
		"max_props is 2" + room:                                   func(c *props.Config) { c.MaxProps = 2 },
		"max_props is 70000" + room:                               func(c *props.Config) { c.MaxProps = 70000 },
		`boundary is "left": must be one of outer, inner, center`: func(c *props.Config) { c.Boundary = "left" },
		`mode is "": must be one of points, segments`:             func(c *props.Config) { c.Mode = "" },
	} {
		c := configs()[0]
		change(&c)
		require.ErrorContains(t, c.Validate(), want)
		_, err := props.NewSampler(device, source, c)
		require.ErrorContains(t, err, want)
		require.ErrorIs(t, err, props.ErrConfig)
	}
	large := configs()[0]
	large.MaxProps = 65536
	many := coursetest.Upload(t, device, make([]int32, 40000))
	points := coursetest.Upload(t, device, make([]kernel.Vec3, 40000))
	_, err := props.NewSampler(device, props.Source{Outer: points, Center: points, Inner: points, Count: many,
		Valid: many}, large)
	require.ErrorContains(t, err, "max_props is 65536: must be one with at most 2147483647 in all 40000 envs")
}

// A wrong device or source is refused, and so is a sampler that no constructor has made.
func TestMisuse(t *testing.T) {
	device := coursetest.OpenCPU(t)
	source, settings := sourceOf(t, device, resampletest.Lines()), configs()[0]
	_, err := props.NewSampler(nil, source, settings)
	require.ErrorIs(t, err, backend.ErrInvalid)
	_, err = props.NewSampler(device, props.SourceOf(nil), settings)
	require.ErrorContains(t, err, "props: new sampler: source is without arrays")
	_, err = props.NewSampler(device, source, settings, nil)
	require.ErrorContains(t, err, "props: new sampler: option 0 is <nil>")
	for _, option := range []props.Option{generation.WithSeed(1), generation.WithEpoch(1)} {
		_, err = props.NewSampler(device, source, settings, option)
		require.ErrorIs(t, err, backend.ErrInvalid)
	}
	_, err = props.NewSampler(device, source, settings, generation.WithStages(props.Stage(settings)))
	require.ErrorContains(t, err, "options is stages: must be none")
	_, err = props.NewSampler(coursetest.OpenCPU(t), source, settings)
	require.ErrorIs(t, err, exec.ErrDeviceMismatch)
	for name, change := range map[string]func(*props.Source) error{
		"outer":           func(s *props.Source) error { s.Outer = exec.Array[kernel.Vec3]{}; return nil },
		"a multiple of 7": func(s *props.Source) (err error) { s.Count, err = s.Count.Slice(0, 7); return err },
		"valid":           func(s *props.Source) (err error) { s.Valid, err = s.Valid.Slice(0, 1); return err },
	} {
		short := source
		require.NoError(t, change(&short))
		_, err = props.NewSampler(device, short, settings)
		require.ErrorContains(t, err, name)
		require.ErrorIs(t, err, backend.ErrInvalid)
	}
}

// Calls of a sampler that no constructor has made, that is closed, or in a capture are refused.
func TestMisusedSampler(t *testing.T) {
	ctx, device := context.Background(), coursetest.OpenCPU(t)
	source, settings := sourceOf(t, device, resampletest.Lines()), configs()[0]
	var none *props.Sampler
	_, err := none.Refresh(ctx)
	require.ErrorContains(t, err, "what a constructor made")
	require.NoError(t, none.Close())
	require.Nil(t, none.Props())
	_, err = none.Props().Read(ctx)
	require.ErrorContains(t, err, "props: read: props is none: must be those of a Sampler")
	_, err = none.Props().Clone(ctx)
	require.ErrorContains(t, err, "props is none")
	require.NoError(t, none.Props().Close())
	require.Zero(t, none.Config())
	require.Zero(t, none.Bytes())

	s := newSampler(t, device, source, settings)
	_, err = s.RefreshMasked(ctx, coursetest.Upload(t, device, make([]int32, 9)))
	require.ErrorContains(t, err, "mask")
	stream := device.CurrentStream()
	require.NoError(t, stream.BeginCapture())
	_, err = props.NewSampler(device, source, settings)
	require.ErrorIs(t, err, exec.ErrCapture)
	_, err = s.Props().Read(ctx)
	require.ErrorIs(t, err, exec.ErrCapture)
	graph, err := stream.EndCapture()
	require.NoError(t, err)
	require.NoError(t, graph.Close())
	clone, err := s.Props().Clone(ctx)
	require.NoError(t, err)
	copied, err := clone.Read(ctx)
	require.NoError(t, err)
	require.Equal(t, bitsOf(read(t, s)), bitsOf(copied))
	require.NoError(t, clone.Close())
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
