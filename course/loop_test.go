package course_test

import (
	"context"
	"encoding/binary"
	"hash/fnv"
	"math"
	"reflect"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/trackgen-go/trackgen/backend"
	"github.com/trackgen-go/trackgen/course"
	"github.com/trackgen-go/trackgen/course/internal/driving"
	"github.com/trackgen-go/trackgen/exec"
	"github.com/trackgen-go/trackgen/gate"
	"github.com/trackgen-go/trackgen/internal/coursetest"
	"github.com/trackgen-go/trackgen/kernel"
	"github.com/trackgen-go/trackgen/track"
	"github.com/trackgen-go/trackgen/track/tracktest"
)

// loopEnvs is the number of envs of the training loops.
const loopEnvs = 5

// loopConfigs are courses that have every kind of signal between them.
func loopConfigs() map[string]course.Config {
	tracks := tracktest.Config(track.Bezier, loopEnvs, func(c *track.Config) {
		c.Elevation.Profile, c.Elevation.Min, c.Elevation.Max = "noise", -0.2, 0.2
	})
	road := course.DefaultConfig()
	road.Tracks, road.Checkpoints.Spacing, road.Ground.Resolution = &tracks, 0.4, 8
	road.Checkpoints.Max, road.Collision.Method, road.Collision.SdfResolution = 60, course.SDF, 16

	road.Localize.Enabled = true
	race := road
	race.Localize.WarmWindow = 3
	race.Agents, race.Collision.Agents, race.Collision.Swept = 3, true, true
	race.Collision.Method, race.Collision.SdfResolution = course.Segments, 0

	gates := gate.DefaultConfig()
	gates.NumEnvs, gates.Gate.Width, gates.Gate.Radius, gates.Gate.SeparationSweeps = loopEnvs, 0.2, 0.12, 16
	posts := course.DefaultConfig()
	posts.Gates, posts.Posts.Radius, posts.Collision.Swept = &gates, 0.02, true

	frames := course.DefaultConfig()
	frames.Gates, frames.Agents, frames.Frames.Enabled = &gates, 2, true
	frames.Frames.Thickness, frames.Frames.Depth, frames.Frames.AgentRadius = 0.02, 0.02, 0.03
	return map[string]course.Config{"road": road, "race": race, "posts": posts, "frames": frames}
}

// crowdConfigs are the loops in which cars also collide with each other, one for each other kind of contact. Groups of
// their kernels have the boxes of ten envs, of two, or of one.
func crowdConfigs() map[string]course.Config {
	all := map[string]course.Config{}
	for name, c := range loopConfigs() {
		c.Agents, c.Collision.Agents = 3, true
		all[name+" crowd"] = c
	}
	road := loopConfigs()["race"]
	road.Collision.Swept = false
	all["race crowd at rest"] = road
	frames := all["frames crowd"]
	frames.Agents, frames.Collision.Swept = 11, true
	all["frames crowd"] = frames
	none := loopConfigs()["road"]
	none.Agents, none.Collision.Agents = 40, true
	none.Collision.Method, none.Collision.SdfResolution = course.None, 0
	all["crowd"] = none
	return all
}

// loop is a training loop: cars that drive on a course, and episodes that end.
type loop struct {
	testing.TB
	course *course.Course
	inputs course.Inputs
	agents int

	center                exec.Array[kernel.Vec3]
	count                 exec.Array[int32]
	clock, done, laps, on exec.Array[int32]
}

// newLoop makes a loop. The course works on stream.
func newLoop(tb testing.TB, device backend.Device, stream backend.Stream, c course.Config) *loop {
	tb.Helper()
	one, err := course.New(device, c, course.WithSeed(7), course.WithStream(stream))
	require.NoError(tb, err)
	tb.Cleanup(func() { require.NoError(tb, one.Close()) })
	n := loopEnvs * c.Agents
	l := &loop{TB: tb, course: one, agents: c.Agents,
		clock: coursetest.Upload(tb, device, make([]int32, n)), on: coursetest.Upload(tb, device, make([]int32, n)),
		done: coursetest.Upload(tb, device, make([]int32, loopEnvs)),
		inputs: course.Inputs{Position: coursetest.Upload(tb, device, make([]kernel.Vec3, n)),
			Orientation: coursetest.Upload(tb, device, make([]kernel.Quat, n)),
			HalfExtents: coursetest.Upload(tb, device, slices.Repeat([]kernel.Vec2{{X: 0.06, Y: 0.02}}, n))}}
	if source := one.Source(); source.Tracks != nil {
		l.center, l.count = source.Tracks.Center, source.Tracks.Count
	} else {
		l.center, l.count = one.Line().Line().Center, one.Line().Line().Count
	}
	require.NoError(tb, one.Bind(l.inputs))
	l.laps = one.Signals().Events.Laps
	if s := one.Signals(); s.Contacts != nil {
		l.on = s.Contacts.OutOfBounds
	} else if s.Posts != nil {
		l.on = s.Posts.Hit
	}
	return l
}

// drive emits the motion of the cars.
func (l *loop) drive(lc *exec.LaunchContext) {
	driving.Drive(lc, l.clock.Len(), driving.DriveArgs{
		Agents: int32(l.agents), MaxPoints: int32(l.center.Len() / loopEnvs), Reach: 0.12, Count: l.count,
		Center: l.center, Done: l.done, Clock: l.clock, Position: l.inputs.Position, Orientation: l.inputs.Orientation,
	})
}

// judge emits the end of episodes.
func (l *loop) judge(lc *exec.LaunchContext) {
	driving.Judge(lc, loopEnvs, int32(l.agents), l.laps, l.on, l.clock, l.done)
}

// enqueue emits one iteration without any policy.
func (l *loop) enqueue(lc *exec.LaunchContext) {
	l.drive(lc)
	l.course.EnqueueStep(lc)
	l.judge(lc)
	l.course.EnqueueReset(lc, l.done)
	l.course.EnqueueRegenerate(lc, l.done)
}

// call makes one iteration by calls on the stream of lc.
func (l *loop) call(lc *exec.LaunchContext) {
	l.Helper()
	ctx := exec.With(context.Background(), lc)
	l.drive(lc)
	_, err := l.course.Step(ctx)
	require.NoError(l, err)
	l.judge(lc)
	require.NoError(l, l.course.Reset(ctx, l.done))
	require.NoError(l, l.course.Regenerate(ctx, l.done))
	require.NoError(l, lc.Err())
}

// state returns a hash of the bits of the batch, of the components and of the signals, for each env.
func (l *loop) state() []uint64 {
	l.Helper()
	ctx := context.Background()
	var parts []any
	add := func(part any, err error) {
		l.Helper()
		require.NoError(l, err)
		parts = append(parts, part)
	}
	signals, err := l.course.Signals().Read(ctx)
	add(signals, err)
	add(l.course.Checkpoints().Read(ctx))
	if source := l.course.Source(); source.Tracks != nil {
		add(source.Tracks.Batch(ctx))
		add(l.course.Ground().Heights().Grid(ctx))
	} else {
		add(source.Gates.Batch(ctx))
		add(l.course.Line().Line().Read(ctx))
	}
	target, err := l.course.Progress().State().Target.Read(ctx)
	add(struct{ Target []int32 }{target}, err)
	hashes := make([]uint64, loopEnvs)
	for e := range hashes {
		h := fnv.New64a()
		for _, part := range parts {
			hashEnv(h.Write, reflect.ValueOf(part), e)
		}
		hashes[e] = h.Sum64()
	}
	return hashes
}

// hashEnv writes the bits of env e of all slices in a value.
func hashEnv(write func([]byte) (int, error), v reflect.Value, e int) {
	switch v.Kind() {
	case reflect.Pointer:
		if !v.IsNil() {
			hashEnv(write, v.Elem(), e)
		}
	case reflect.Struct:
		for i := range v.NumField() {
			if v.Type().Field(i).IsExported() {
				hashEnv(write, v.Field(i), e)
			}
		}
	case reflect.Slice:
		for i := v.Len() / loopEnvs * e; i < v.Len()/loopEnvs*(e+1); i++ {
			hashEnv(write, v.Index(i), e)
		}
	case reflect.Float32:
		_, _ = write(binary.LittleEndian.AppendUint32(nil, math.Float32bits(float32(v.Float()))))
	case reflect.Int32:
		_, _ = write(binary.LittleEndian.AppendUint32(nil, uint32(v.Int())))
	}
}

// words returns the bits of all slices in a value.
func words(part any) []byte {
	var list []byte
	for e := range loopEnvs {
		hashEnv(func(b []byte) (int, error) { list = append(list, b...); return len(b), nil }, reflect.ValueOf(part), e)
	}
	return list
}

// run makes iterations of a loop, and returns the state after each and which episodes it has ended.
func (l *loop) run(iterations int, iterate func()) (states [][]uint64, ended [][]int32) {
	l.Helper()
	for range iterations {
		iterate()
		states = append(states, l.state())
		ended = append(ended, coursetest.Download(l, l.done))
	}
	return states, ended
}

// iterations is the length of the training loops.
const iterations = 50

// eager returns the first states of a loop on a CPU device that emits everything without a policy.
func eager(t *testing.T, workers int, c course.Config, steps int) ([][]uint64, [][]int32) {
	t.Helper()
	device := openCPU(t, backend.Workers(workers))
	l := newLoop(t, device, nil, c)
	lc, err := exec.For(t.Context(), device)
	require.NoError(t, err)
	return l.run(steps, func() {
		l.enqueue(lc)
		require.NoError(t, lc.Err())
	})
}

// checkLoops checks that a training loop has the same bits in every way to run on a device: by calls, which run eagerly
// or replay graphs of their own, and in one graph with the simulator, the step, the resets and the regenerations.
func checkLoops(t *testing.T, device backend.Device, c course.Config, want [][]uint64) {
	t.Helper()
	stream, err := device.NewStream()
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, stream.Close()) })
	lc, err := exec.For(t.Context(), device, exec.OnStream(stream))
	require.NoError(t, err)

	l := newLoop(t, device, stream, c)
	calls, _ := l.run(len(want), func() { l.call(lc) })
	require.Equal(t, want, calls, "calls")

	l = newLoop(t, device, stream, c)
	require.NoError(t, stream.BeginCapture())
	l.call(lc)
	graph, err := stream.EndCapture()
	require.NoError(t, err)
	defer func() { require.NoError(t, graph.Close()) }()
	replayed, _ := l.run(len(want), func() { require.NoError(t, stream.Replay(graph)) })
	require.Equal(t, want, replayed, "one graph")
}

func TestLoopsHaveTheSameBitsInEveryWayToRun(t *testing.T) { // R160, R161
	for name, c := range loopConfigs() {
		t.Run(name, func(t *testing.T) {
			want, ended := eager(t, 1, c, iterations)
			some := 0
			for _, done := range ended {
				for _, ends := range done {
					some += int(ends)
				}
			}
			require.Greater(t, some, iterations/8, "episodes that have ended")
			again, _ := eager(t, 3, c, iterations)
			require.Equal(t, want, again)
			checkLoops(t, openCPU(t), c, want)
		})
	}
}
