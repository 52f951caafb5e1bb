package course_test

import (
	"context"
	"maps"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/trackgen-go/trackgen/backend"
	"github.com/trackgen-go/trackgen/course"
	"github.com/trackgen-go/trackgen/course/collision"
	"github.com/trackgen-go/trackgen/course/localise"
	"github.com/trackgen-go/trackgen/course/progress"
	"github.com/trackgen-go/trackgen/exec"
	"github.com/trackgen-go/trackgen/internal/coursetest"
	"github.com/trackgen-go/trackgen/kernel"
)

// A step has the bits of the components by themselves.
func TestStepHasTheBitsOfTheComponents(t *testing.T) {
	configs := crowdConfigs()
	maps.Copy(configs, loopConfigs())
	for name, c := range configs {
		t.Run(name, func(t *testing.T) {
			ctx, device := t.Context(), openCPU(t)
			l := newLoop(t, device, nil, c)
			lc, err := exec.For(ctx, device)
			require.NoError(t, err)
			tracker, err := progress.NewTracker(device, l.course.Checkpoints(), progress.Config{Agents: c.Agents})
			require.NoError(t, err)
			defer func() { require.NoError(t, tracker.Close()) }()
			source := localise.SourceOf(l.course.Source().Tracks)
			if l.course.Line() != nil {
				source = localise.SourceOfLine(l.course.Line().Line())
			}
			localiser, err := localise.New(device, source, l.course.Localiser().Config())
			require.NoError(t, err)
			defer func() { require.NoError(t, localiser.Close()) }()
			check := checkersOf(t, device, l)
			passed := int32(0)
			for range 60 {
				l.drive(lc)
				_, err := l.course.Step(ctx)
				require.NoError(t, err)
				got, err := l.course.Signals().Read(ctx)
				require.NoError(t, err)
				_, err = tracker.UpdateAt(ctx, l.inputs.Position)
				require.NoError(t, err)
				events, err := tracker.Events().Read(ctx)
				require.NoError(t, err)
				require.Equal(t, words(events), words(got.Events))
				require.NoError(t, localiser.LocateAt(ctx, l.inputs.Position))
				places, err := localiser.Frames().Read(ctx)
				require.NoError(t, err)
				require.Equal(t, words(places), words(got.Places))
				check(got, tracker.State().Target)
				for _, p := range events.Passed {
					passed += p
				}
			}
			require.Greater(t, passed, int32(20), "checkpoints passed")
		})
	}
}

// checkersOf makes checkers like those of a course. It returns a function that compares their contacts with those of a
// step, given the targets after it.
func checkersOf(t *testing.T, device backend.Device,
	l *loop) func(got *course.HostSignals, target exec.Array[int32]) {
	t.Helper()
	source := l.course.Source()
	boxes := collision.Boxes{Position: l.inputs.Position, Orientation: l.inputs.Orientation,
		HalfExtents: l.inputs.HalfExtents}
	var checks []func(got *course.HostSignals, target exec.Array[int32])
	closing := func(close func() error) { t.Cleanup(func() { require.NoError(t, close()) }) }
	if b := l.course.Borders(); b != nil {
		own, err := collision.NewBorders(device, collision.BordersOf(source.Tracks), b.Config())
		require.NoError(t, err)
		closing(own.Close)
		checks = append(checks, func(got *course.HostSignals, _ exec.Array[int32]) {
			same(t, own.QueryBoxes, boxes, got.Contacts)
		})
	}
	if f := l.course.Field(); f != nil {
		own, err := collision.NewField(device, collision.BordersOf(source.Tracks), f.Config())
		require.NoError(t, err)
		closing(own.Close)
		checks = append(checks, func(got *course.HostSignals, _ exec.Array[int32]) {
			same(t, own.QueryBoxes, boxes, got.Contacts)
		})
	}
	if p := l.course.Posts(); p != nil {
		own, err := collision.NewDiscs(device, collision.PostsOf(source.Gates), p.Config())
		require.NoError(t, err)
		closing(own.Close)
		checks = append(checks, func(got *course.HostSignals, _ exec.Array[int32]) {
			same(t, own.QueryBoxes, boxes, got.Posts)
		})
	}
	if f := l.course.Frames(); f != nil {
		own, err := collision.NewFrames(device, collision.FramesOf(source.Gates), f.Config())
		require.NoError(t, err)
		closing(own.Close)
		checks = append(checks, func(got *course.HostSignals, target exec.Array[int32]) {
			same(t, own.QueryBalls, collision.Balls{Position: l.inputs.Position, Target: target}, got.Frames)
		})
	}
	if a := l.course.Others(); a != nil {
		own, err := collision.NewAgents(device, a.Config())
		require.NoError(t, err)
		closing(own.Close)
		checks = append(checks, func(got *course.HostSignals, _ exec.Array[int32]) {
			same(t, own.QueryBoxes, boxes, got.Others)
		})
	}
	require.NotEmpty(t, checks)
	return func(got *course.HostSignals, target exec.Array[int32]) {
		for _, check := range checks {
			check(got, target)
		}
	}
}

// same checks that a query has the bits of what a step has found.
func same[A any, H any, C interface {
	Read(ctx context.Context) (*H, error)
}](t *testing.T, query func(context.Context, A) (C, error), about A, got *H) {
	t.Helper()
	contacts, err := query(t.Context(), about)
	require.NoError(t, err)
	host, err := contacts.Read(t.Context())
	require.NoError(t, err)
	require.Equal(t, words(host), words(got))
}

// The boxes of an env may be other ones, and more, than its agents.
func TestStepWithFramesAndOtherBoxes(t *testing.T) {
	ctx, device := t.Context(), openCPU(t)
	const boxes = 11
	c := loopConfigs()["frames"]
	c.Boxes, c.Collision.Agents, c.Collision.Swept = boxes, true, true
	one, err := course.New(device, c, course.WithSeed(7))
	require.NoError(t, err)
	defer func() { require.NoError(t, one.Close()) }()
	draw := rand.New(rand.NewPCG(3, 4))
	n := loopEnvs * boxes
	positions, turns, sizes := make([]kernel.Vec3, n), make([]kernel.Quat, n), make([]kernel.Vec2, n)
	for i := range n {
		positions[i] = kernel.V3(draw.Float32(), draw.Float32(), 0)
		turns[i], sizes[i] = kernel.Quat{Z: draw.Float32() - 0.5, W: 1}, kernel.V2(0.1, 0.05)
	}
	at := coursetest.Upload(t, device, positions)
	inputs := course.Inputs{Position: coursetest.Upload(t, device, positions[:loopEnvs*c.Agents]), BoxPosition: at,
		Orientation: coursetest.Upload(t, device, turns), HalfExtents: coursetest.Upload(t, device, sizes)}
	require.NoError(t, one.Bind(inputs))
	others, err := collision.NewAgents(device, one.Others().Config())
	require.NoError(t, err)
	defer func() { require.NoError(t, others.Close()) }()
	frames, err := collision.NewFrames(device, collision.FramesOf(one.Source().Gates), one.Frames().Config())
	require.NoError(t, err)
	defer func() { require.NoError(t, frames.Close()) }()
	hits := int32(0)
	for range 5 {
		for i := range positions {
			positions[i] = positions[i].Add(kernel.V3(draw.Float32()-0.5, draw.Float32()-0.5, 0))
		}
		require.NoError(t, at.Write(ctx, positions))
		_, err := one.Step(ctx)
		require.NoError(t, err)
		got, err := one.Signals().Read(ctx)
		require.NoError(t, err)
		same(t, others.QueryBoxes, collision.Boxes{Position: at, Orientation: inputs.Orientation,
			HalfExtents: inputs.HalfExtents}, got.Others)
		same(t, frames.QueryBalls, collision.Balls{Position: inputs.Position,
			Target: one.Progress().State().Target}, got.Frames)
		for _, hit := range got.Others.Hit {
			hits += hit
		}
	}
	require.NotZero(t, hits)
}
