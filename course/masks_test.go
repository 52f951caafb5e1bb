package course_test

import (
	"context"
	"fmt"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/trackgen-go/trackgen/backend"
	"github.com/trackgen-go/trackgen/course"
	"github.com/trackgen-go/trackgen/course/curvature"
	"github.com/trackgen-go/trackgen/course/props"
	"github.com/trackgen-go/trackgen/course/speed"
	"github.com/trackgen-go/trackgen/exec"
	"github.com/trackgen-go/trackgen/gate"
	"github.com/trackgen-go/trackgen/internal/coursetest"
	"github.com/trackgen-go/trackgen/kernel"
)

// array is an array of any type, which a call with a mask writes.
type array interface {
	spoil(t *testing.T)
	bits(t *testing.T) string
}

// spoilable is an array that is spoilt with a value.
type spoilable[T kernel.Element] struct {
	exec.Array[T]
	with T
}

func (a spoilable[T]) spoil(t *testing.T) {
	t.Helper()
	require.NoError(t, a.Write(t.Context(), slices.Repeat([]T{a.with}, a.Len())))
}

// bits returns the values, whose text tells all numbers apart.
func (a spoilable[T]) bits(t *testing.T) string {
	t.Helper()
	return fmt.Sprint(coursetest.Download(t, a.Array))
}

func of[T kernel.Element](a exec.Array[T], with T) array { return spoilable[T]{Array: a, with: with} }

// masked is a method that takes a mask, with an array that it writes for the envs of the mask.
type masked struct {
	array   array
	call    func(ctx context.Context, mask exec.Array[int32]) error
	enqueue func(lc *exec.LaunchContext, mask exec.Array[int32])
}

// noResult makes a call with a mask that returns a result one that returns the error alone.
func noResult[R any](call func(context.Context, exec.Array[int32]) (R, error)) func(context.Context,
	exec.Array[int32]) error {
	return func(ctx context.Context, mask exec.Array[int32]) error {
		_, err := call(ctx, mask)
		return err
	}
}

// maskedCalls returns every method of the course and its components that takes a mask.
func maskedCalls(c *course.Course) map[string]masked {
	calls := map[string]masked{
		"course.Reset": {of(c.Progress().State().Target, 7), c.Reset, c.EnqueueReset},
		"course.Regenerate": {of(c.Seeds().Epoch(), 7), func(ctx context.Context, mask exec.Array[int32]) error {
			return c.Regenerate(ctx, mask)
		}, func(lc *exec.LaunchContext, mask exec.Array[int32]) { c.EnqueueRegenerate(lc, mask) }},
		"course.RefreshMasked": {of(c.Progress().State().Target, 7), c.RefreshMasked, c.EnqueueRefreshMasked},
		"progress.Reset":       {of(c.Progress().State().Target, 7), c.Progress().Reset, c.Progress().EnqueueReset},
	}
	if l := c.Localiser(); l != nil {
		calls["localise.Reset"] = masked{of(l.Frames().Memory, 7), l.Reset, l.EnqueueReset}
		calls["localise.RefreshMasked"] = masked{of(l.Arrays().Index, kernel.Quat{X: 7}), l.RefreshMasked,
			l.EnqueueRefreshMasked}
	}
	if s := c.CheckpointSampler(); s != nil {
		calls["checkpoints.RefreshMasked"] = masked{of(s.Set().Count, 7), noResult(s.RefreshMasked), s.EnqueueRefreshMasked}
	}
	if b := c.Borders(); b != nil {
		calls["borders.Reset"] = masked{of(b.Arrays().Points, kernel.Vec2{X: 7}), b.Reset, b.EnqueueReset}
		calls["borders.RefreshMasked"] = masked{of(b.Arrays().Index, kernel.Quat{X: 7}), b.RefreshMasked,
			b.EnqueueRefreshMasked}
	}
	if f := c.Field(); f != nil {
		calls["field.RefreshMasked"] = masked{of(f.Arrays().Phi, 7), f.RefreshMasked, f.EnqueueRefreshMasked}
	}
	if d := c.Posts(); d != nil {
		calls["discs.Reset"] = masked{of(d.Arrays().Vectors, kernel.Vec2{X: 7}), d.Reset, d.EnqueueReset}
		calls["discs.RefreshMasked"] = masked{of(d.Arrays().Discs, kernel.Vec3{X: 7}), d.RefreshMasked,
			d.EnqueueRefreshMasked}
	}
	if a := c.Others(); a != nil {
		calls["agents.Reset"] = masked{of(a.Arrays().Previous, kernel.Vec3{X: 7}), a.Reset, a.EnqueueReset}
	}
	if l := c.Line(); l != nil {
		calls["line.RefreshMasked"] = masked{of(l.Line().Arclen, 7), l.RefreshMasked, l.EnqueueRefreshMasked}
	}
	if b := c.Ground(); b != nil {
		calls["heightfield.BakeMasked"] = masked{of(b.Heights().Height, 7), noResult(b.BakeMasked), b.EnqueueMasked}
	}
	return calls
}

// maskedCallsBeside returns those of components that a course does not have, on the batch of one of tracks, and those
// of generators.
func maskedCallsBeside(t *testing.T, device backend.Device, c *course.Course) map[string]masked {
	t.Helper()
	tracks := c.Source().Tracks
	config := props.DefaultConfig()
	config.Spacing = 0.5
	sampler, err := props.NewSampler(device, props.SourceOf(tracks), config)
	require.NoError(t, err)
	estimator, err := curvature.New(device, curvature.SourceOf(tracks), curvature.DefaultConfig())
	require.NoError(t, err)
	planner, err := speed.New(device, speed.SourceOf(tracks), speed.DefaultConfig())
	require.NoError(t, err)
	gates := gate.DefaultConfig()
	gates.Along.Spacing = 0.4
	along, err := gate.NewAlong(device, tracks, gates)
	require.NoError(t, err)
	t.Cleanup(func() {
		for _, closer := range []interface{ Close() error }{sampler, estimator, planner, along} {
			require.NoError(t, closer.Close())
		}
	})
	return map[string]masked{
		"props.RefreshMasked": {of(sampler.Props().Count, 7), noResult(sampler.RefreshMasked),
			sampler.EnqueueRefreshMasked},
		"curvature.RefreshMasked": {of(estimator.Curvature().Curvature, 7), estimator.RefreshMasked,
			estimator.EnqueueRefreshMasked},
		"speed.RefreshMasked":   {of(planner.Profile().Speed, 7), planner.RefreshMasked, planner.EnqueueRefreshMasked},
		"gate.Along.Regenerate": {of(along.Sequence().Count, 7), noResult(along.Regenerate), along.EnqueueRegenerate},
	}
}

// The zero mask stands for all envs, in every call with a mask, without policy, and in a capture.
func TestTheZeroMaskStandsForAllEnvs(t *testing.T) {
	device := openCPU(t)
	for name, config := range loopConfigs() {
		t.Run(name, func(t *testing.T) {
			l := newLoop(t, device, nil, config)
			calls := maskedCalls(l.course)
			if l.course.Source().Tracks != nil {
				for name, call := range maskedCallsBeside(t, device, l.course) {
					calls[name] = call
				}
			}
			everyone := coursetest.Upload(t, device, []int32{1, 1, 1, 1, 1})
			for name, m := range calls {
				t.Run(name, func(t *testing.T) { checkZeroMask(t, device, m, everyone) })
			}
		})
	}
}

// checkZeroMask checks that the zero mask does what a mask of all envs does.
func checkZeroMask(t *testing.T, device backend.Device, m masked, everyone exec.Array[int32]) {
	t.Helper()
	ctx, none := t.Context(), exec.Array[int32]{}
	lc, err := exec.For(ctx, device)
	require.NoError(t, err)
	m.array.spoil(t)
	spoilt := m.array.bits(t)
	require.NoError(t, m.call(ctx, everyone))
	want := m.array.bits(t)
	require.NotEqual(t, spoilt, want)

	m.array.spoil(t)
	require.NoError(t, m.call(ctx, none))
	require.Equal(t, want, m.array.bits(t), "a call")

	m.array.spoil(t)
	m.enqueue(lc, none)
	require.NoError(t, lc.Err())
	require.Equal(t, want, m.array.bits(t), "without policy")

	m.array.spoil(t)
	stream := device.CurrentStream()
	require.NoError(t, stream.BeginCapture())
	require.NoError(t, m.call(ctx, none))
	graph, err := stream.EndCapture()
	require.NoError(t, err)
	defer func() { require.NoError(t, graph.Close()) }()
	require.NoError(t, stream.Replay(graph))
	require.Equal(t, want, m.array.bits(t), "a replay")
}
