package course_test

import (
	"context"
	"fmt"
	"regexp"
	"slices"
	"strings"
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
	of      string // its package, as it stands in messages
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
		"course.Reset": {"course", of(c.Progress().State().Target, 7), c.Reset, c.EnqueueReset},
		"course.Regenerate": {"course", of(c.Seeds().Epoch(), 7), func(ctx context.Context, mask exec.Array[int32]) error {
			return c.Regenerate(ctx, mask)
		}, func(lc *exec.LaunchContext, mask exec.Array[int32]) { c.EnqueueRegenerate(lc, mask) }},
		"course.RefreshMasked": {"course", of(c.Progress().State().Target, 7), c.RefreshMasked, c.EnqueueRefreshMasked},
		"progress.Reset": {"progress", of(c.Progress().State().Target, 7), c.Progress().Reset,
			c.Progress().EnqueueReset},
	}
	if l := c.Localiser(); l != nil {
		calls["localise.Reset"] = masked{"localise", of(l.Frames().Memory, 7), l.Reset, l.EnqueueReset}
		calls["localise.RefreshMasked"] = masked{"localise", of(l.Arrays().Index, kernel.Quat{X: 7}), l.RefreshMasked,
			l.EnqueueRefreshMasked}
	}
	if s := c.CheckpointSampler(); s != nil {
		calls["checkpoints.RefreshMasked"] = masked{"checkpoints", of(s.Set().Count, 7), noResult(s.RefreshMasked),
			s.EnqueueRefreshMasked}
	}
	if b := c.Borders(); b != nil {
		calls["borders.Reset"] = masked{"collision", of(b.Arrays().Points, kernel.Vec2{X: 7}), b.Reset, b.EnqueueReset}
		calls["borders.RefreshMasked"] = masked{"collision", of(b.Arrays().Index, kernel.Quat{X: 7}), b.RefreshMasked,
			b.EnqueueRefreshMasked}
	}
	if f := c.Field(); f != nil {
		calls["field.RefreshMasked"] = masked{"collision", of(f.Arrays().Phi, 7), f.RefreshMasked,
			f.EnqueueRefreshMasked}
	}
	if d := c.Posts(); d != nil {
		calls["discs.Reset"] = masked{"collision", of(d.Arrays().Vectors, kernel.Vec2{X: 7}), d.Reset, d.EnqueueReset}
		calls["discs.RefreshMasked"] = masked{"collision", of(d.Arrays().Discs, kernel.Vec3{X: 7}), d.RefreshMasked,
			d.EnqueueRefreshMasked}
	}
	if a := c.Others(); a != nil {
		calls["agents.Reset"] = masked{"collision", of(a.Arrays().Previous, kernel.Vec3{X: 7}), a.Reset, a.EnqueueReset}
	}
	if l := c.Line(); l != nil {
		calls["line.RefreshMasked"] = masked{"line", of(l.Line().Arclen, 7), l.RefreshMasked, l.EnqueueRefreshMasked}
	}
	if b := c.Ground(); b != nil {
		calls["heightfield.BakeMasked"] = masked{"heightfield", of(b.Heights().Height, 7), noResult(b.BakeMasked),
			b.EnqueueMasked}
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
		"props.RefreshMasked": {"props", of(sampler.Props().Count, 7), noResult(sampler.RefreshMasked),
			sampler.EnqueueRefreshMasked},
		"curvature.RefreshMasked": {"curvature", of(estimator.Curvature().Curvature, 7), estimator.RefreshMasked,
			estimator.EnqueueRefreshMasked},
		"speed.RefreshMasked": {"speed", of(planner.Profile().Speed, 7), planner.RefreshMasked,
			planner.EnqueueRefreshMasked},
		"gate.Along.Regenerate": {"gate", of(along.Sequence().Count, 7), noResult(along.Regenerate),
			along.EnqueueRegenerate},
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
			short := coursetest.Upload(t, device, []int32{1, 1})
			for name, m := range calls {
				t.Run(name, func(t *testing.T) {
					checkZeroMask(t, device, m, everyone)
					checkRefusals(t, device, m, name[strings.LastIndex(name, ".")+1:], short)
				})
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

// checkRefusals checks that the messages about a wrong mask name the package and the operation.
func checkRefusals(t *testing.T, device backend.Device, m masked, method string, wrong exec.Array[int32]) {
	t.Helper()
	op := strings.ToLower(capital.ReplaceAllString(method, " $1"))
	require.ErrorContains(t, m.call(t.Context(), wrong), m.of+":"+op+": ")
	lc, err := exec.For(t.Context(), device)
	require.NoError(t, err)
	m.enqueue(lc, wrong)
	require.ErrorContains(t, lc.Err(), m.of+": enqueue"+strings.TrimPrefix(op, " bake")+": ")
	require.ErrorContains(t, lc.Err(), "mask length is 2: must be 5")
}

// capital is a capital letter, with which a word of the name of a method begins.
var capital = regexp.MustCompile("([A-Z])")
