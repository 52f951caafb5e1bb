package course_test

import (
	"context"
	"fmt"
	"maps"
	"math"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/trackgen-go/trackgen/backend"
	"github.com/trackgen-go/trackgen/course"
	"github.com/trackgen-go/trackgen/exec"
	"github.com/trackgen-go/trackgen/exec/exectest"
	"github.com/trackgen-go/trackgen/gate"
	"github.com/trackgen-go/trackgen/internal/coursetest"
	"github.com/trackgen-go/trackgen/kernel"
	"github.com/trackgen-go/trackgen/pipeline"
	"github.com/trackgen-go/trackgen/seeds"
	"github.com/trackgen-go/trackgen/track"
	"github.com/trackgen-go/trackgen/track/tracktest"
)

// The signals of an env follow its own regeneration: after many, each env has the bits of a new course with its
// effective seed (R110), and its checkpoints, fields, lines and posts are those of its present track.
func TestSignalsFollowRegenerations(t *testing.T) { // R110, R160
	for name, c := range loopConfigs() {
		t.Run(name, func(t *testing.T) {
			ctx, device := t.Context(), openCPU(t)
			l := newLoop(t, device, nil, c)
			lc, err := exec.For(ctx, device)
			require.NoError(t, err)
			l.run(iterations, func() { l.enqueue(lc) })
			seed, epoch := coursetest.Download(t, l.course.Seeds().Seed()), coursetest.Download(t, l.course.Seeds().Epoch())
			require.Greater(t, len(slices.Compact(slices.Sorted(slices.Values(epoch)))), 1, "envs with other epochs")
			var effective []int32
			for e := range seed {
				effective = append(effective, seeds.EffectiveSeed(seed[e], epoch[e]))
			}
			fresh, err := course.New(device, c, course.WithSeeds(effective))
			require.NoError(t, err)
			defer func() { require.NoError(t, fresh.Close()) }()
			require.Equal(t, prepared(t, fresh), prepared(t, l.course))
		})
	}
}

// prepared returns what a course has prepared of its batch.
func prepared(t *testing.T, c *course.Course) []any {
	t.Helper()
	ctx := t.Context()
	var parts []any
	add := func(part any, err error) {
		t.Helper()
		require.NoError(t, err)
		parts = append(parts, words(part))
	}
	add(c.Checkpoints().Read(ctx))
	if c.Ground() != nil {
		add(c.Ground().Heights().Grid(ctx))
	}
	if c.Field() != nil {
		add(c.Field().Grid(ctx))
	}
	if c.Line() != nil {
		add(c.Line().Line().Read(ctx))
	}
	if c.Posts() != nil {
		add(c.Posts().Arrays().Discs.Read(ctx))
	}
	return parts
}

// A regeneration changes no bit of the envs that are not in its mask, and none at all with an empty mask. A reset puts
// exactly the agents of its mask to the start.
func TestMasks(t *testing.T) { // R23, R160
	for name, c := range loopConfigs() {
		t.Run(name, func(t *testing.T) {
			ctx, device := t.Context(), openCPU(t)
			l := newLoop(t, device, nil, c)
			lc, err := exec.For(ctx, device)
			require.NoError(t, err)
			for range 8 {
				l.drive(lc)
				l.course.EnqueueStep(lc)
			}
			before := l.state()
			mask := coursetest.Upload(t, device, make([]int32, loopEnvs))
			require.NoError(t, l.course.Regenerate(ctx, mask))
			require.NoError(t, l.course.RefreshMasked(ctx, mask))
			require.NoError(t, l.course.Reset(ctx, mask))
			require.Equal(t, before, l.state(), "an empty mask")
			require.NoError(t, mask.Write(ctx, []int32{0, 1, 0, -5, 0}))
			require.NoError(t, l.course.Regenerate(ctx, mask))
			after := l.state()
			for e := range after {
				assert.Equal(t, e == 1 || e == 3, before[e] != after[e], "env %d", e)
			}
			target := l.course.Progress().State().Target
			require.NoError(t, target.Write(ctx, slices.Repeat([]int32{2}, target.Len())))
			l.drive(lc)
			require.NoError(t, l.course.Localiser().LocateAt(ctx, l.inputs.Position))
			require.NoError(t, l.course.Regenerate(ctx, mask))
			memory := coursetest.Download(t, l.course.Localiser().Frames().Memory)
			for i, v := range coursetest.Download(t, target) {
				started := i/c.Agents == 1 || i/c.Agents == 3
				assert.Equal(t, started, v == 0, "target of agent %d after a regeneration", i)
				assert.Equal(t, started, memory[i] == -1, "memory of agent %d after a regeneration", i)
			}
			require.NoError(t, target.Write(ctx, slices.Repeat([]int32{2}, target.Len())))
			require.NoError(t, l.course.Reset(ctx, mask))
			for i, v := range coursetest.Download(t, target) {
				e := i / c.Agents
				assert.Equal(t, e == 1 || e == 3, v == 0, "agent %d", i)
			}
			require.NoError(t, l.course.Reset(ctx, exec.Array[int32]{}))
			require.Equal(t, make([]int32, target.Len()), coursetest.Download(t, target), "all envs")
			require.NoError(t, l.course.Regenerate(ctx, exec.Array[int32]{}))
			for e, v := range l.state() {
				assert.NotEqual(t, after[e], v, "env %d", e)
			}
		})
	}
}

// With one agent in each env, a signal is a mask: the envs with a passed checkpoint, or a complete lap. What the reset
// changes first does not change the mask for what comes after it.
func TestSignalsAreMasks(t *testing.T) {
	ctx, device := t.Context(), openCPU(t)
	l := newLoop(t, device, nil, loopConfigs()["posts"])
	lc, err := exec.For(ctx, device)
	require.NoError(t, err)
	state, signals := l.course.Progress().State(), l.course.Signals()
	for name, mask := range map[string]exec.Array[int32]{
		"passed": signals.Events.Passed, "hit": signals.Posts.Hit, "laps of the state": state.Laps, "target": state.Target,
		"segment": signals.Places.Segment, "memory": signals.Places.Memory,
	} {
		reset := []func() error{
			func() error { return l.course.Reset(ctx, mask) },
			func() error { l.course.EnqueueReset(lc, mask); return lc.Err() },
			func() error { return l.course.Regenerate(ctx, mask) },
			func() error { return l.course.RefreshMasked(ctx, mask) },
		}
		for i, reset := range reset {
			l.drive(lc)
			_, err = l.course.Step(ctx)
			require.NoError(t, err)
			require.NoError(t, state.Total.Write(ctx, []int32{7, 7, 7, 7, 7}))
			require.NoError(t, signals.Places.Memory.Write(ctx, []int32{0, 3, 3, 0, 3}))
			require.NoError(t, mask.Write(ctx, []int32{0, 3, 3, 0, 3}))
			require.NoError(t, reset(), "%s, way %d", name, i)
			require.Equal(t, []int32{7, 0, 0, 7, 0}, coursetest.Download(t, state.Total), "%s, way %d", name, i)
			require.Equal(t, []int32{0, -1, -1, 0, -1}, coursetest.Download(t, signals.Places.Memory), "%s, way %d", name, i)
		}
	}
}

// Generate makes the same batch again, SetSeeds another one, and SameEpoch the same one for a mask.
func TestGenerate(t *testing.T) { // R161
	ctx, device := t.Context(), openCPU(t)
	c, err := course.New(device, loopConfigs()["road"], course.WithSeed(3))
	require.NoError(t, err)
	defer func() { require.NoError(t, c.Close()) }()
	first := prepared(t, c)
	require.NoError(t, c.Generate(ctx))
	require.Equal(t, first, prepared(t, c))
	require.NoError(t, c.Regenerate(ctx, exec.Array[int32]{}, course.SameEpoch()))
	require.Equal(t, first, prepared(t, c))
	require.NoError(t, c.SetSeeds(ctx, []int32{9, 8, 7, 6, 5}))
	require.NoError(t, c.Generate(ctx))
	second := prepared(t, c)
	require.NotEqual(t, first, second)
	require.NoError(t, c.SetEpoch(ctx, 4))
	require.NoError(t, c.Generate(ctx))
	require.NotEqual(t, second, prepared(t, c))
}

// Step and Reset neither wait, nor allocate, nor use another stream than theirs; a regeneration neither waits nor
// reads.
func TestHotMethods(t *testing.T) { // R161
	for name, c := range loopConfigs() {
		t.Run(name, func(t *testing.T) {
			ctx, device := context.Background(), exectest.Instrument(openCPU(t, backend.Workers(1)))
			l := newLoop(t, device, nil, c)
			hot := func(ctx context.Context) error {
				if _, err := l.course.Step(ctx); err != nil {
					return err
				}
				if err := l.course.Reset(ctx, l.done); err != nil {
					return err
				}
				return l.course.Regenerate(ctx, l.done)
			}
			require.NoError(t, hot(ctx))
			require.NoError(t, exectest.HotPath(device, exectest.Options{}).Do(ctx, hot))

			plain := newLoop(t, openCPU(t, backend.Workers(1)), nil, c)
			call := func() {
				_, err := plain.course.Step(ctx)
				require.NoError(t, err)
				require.NoError(t, plain.course.Reset(ctx, plain.done))
				require.NoError(t, plain.course.Regenerate(ctx, plain.done))
			}
			call()
			assert.Zero(t, testing.AllocsPerRun(10, call))
		})
	}
}

// A step has few launches, whatever it looks for.
func TestLaunchesOfAStep(t *testing.T) {
	configs := crowdConfigs()
	maps.Copy(configs, loopConfigs())
	for name, c := range configs {
		ctx, device := t.Context(), openCPU(t)
		l := newLoop(t, device, nil, c)
		stream := device.CurrentStream()
		require.NoError(t, stream.BeginCapture())
		_, err := l.course.Step(ctx)
		require.NoError(t, err)
		graph, err := stream.EndCapture()
		require.NoError(t, err)
		operations := graph.(backend.Inspector).Operations()
		assert.Len(t, operations, 2, name)
		for _, operation := range operations {
			assert.Equal(t, backend.OperationLaunch, operation.Kind, name)
		}
		require.NoError(t, graph.Close())
	}
}

// Binding other arrays after a capture is warned about, once.
func TestBindAfterCapture(t *testing.T) { // R97, R162
	ctx, device := t.Context(), openCPU(t)
	var warnings []exec.Warning
	c, err := course.New(device, loopConfigs()["posts"],
		course.WithWarnings(func(w exec.Warning) { warnings = append(warnings, w) }))
	require.NoError(t, err)
	defer func() { require.NoError(t, c.Close()) }()
	inputs := func() course.Inputs {
		return course.Inputs{Position: coursetest.Upload(t, device, make([]kernel.Vec3, loopEnvs)),
			Orientation: coursetest.Upload(t, device, make([]kernel.Quat, loopEnvs)),
			HalfExtents: coursetest.Upload(t, device, make([]kernel.Vec2, loopEnvs))}
	}
	first := inputs()
	require.NoError(t, c.Bind(first))
	stream := device.CurrentStream()
	require.NoError(t, stream.BeginCapture())
	_, err = c.Step(ctx)
	require.NoError(t, err)
	graph, err := stream.EndCapture()
	require.NoError(t, err)
	defer func() { require.NoError(t, graph.Close()) }()
	require.NoError(t, c.Bind(first))
	require.Empty(t, warnings)
	other := inputs()
	other.HalfExtents = first.HalfExtents
	require.NoError(t, c.Bind(other))
	require.Equal(t, []exec.Warning{exec.RebindAfterCaptureWarning{Component: "course",
		Inputs: []string{"position", "orientation"}}}, warnings)
}

// Wrong arguments have an error that names them, and change nothing.
func TestRefuses(t *testing.T) { // R113
	ctx, device, other := t.Context(), openCPU(t), openCPU(t)
	c, err := course.New(device, loopConfigs()["posts"])
	require.NoError(t, err)
	vectors := coursetest.Upload(t, device, make([]kernel.Vec3, loopEnvs))
	turns := coursetest.Upload(t, device, make([]kernel.Quat, loopEnvs))
	half := coursetest.Upload(t, device, make([]kernel.Vec2, loopEnvs))
	_, err = c.Step(ctx)
	require.EqualError(t, err, "course: step: inputs is none: must be those of a Bind before")
	for want, in := range map[string]course.Inputs{
		"position is":     {},
		"orientation is":  {Position: vectors},
		"half_extents is": {Position: vectors, Orientation: turns},
		"box_position length is 4": {
			Position: vectors, Orientation: turns, HalfExtents: half,
			BoxPosition: coursetest.Upload(t, device, make([]kernel.Vec3, 4)),
		},
		"position belongs to another opening": {
			Position:    coursetest.Upload(t, other, make([]kernel.Vec3, loopEnvs)),
			Orientation: turns, HalfExtents: half},
	} {
		err := c.Bind(in)
		require.ErrorContains(t, err, "course: bind: "+want)
	}
	_, err = course.New(device, loopConfigs()["posts"], course.WithSeeds([]int32{1, 2}))
	require.EqualError(t, err, "course: new: seeds length is 2: must be 5")
	short := coursetest.Upload(t, device, make([]int32, 3))
	require.ErrorContains(t, c.Reset(ctx, short), "mask length is 3")
	require.ErrorContains(t, c.Regenerate(ctx, short), "mask length is 3")
	require.ErrorContains(t, c.RefreshMasked(ctx, short), "mask length is 3")
	require.NoError(t, c.Close())
	require.NoError(t, c.Close())
	calls := func(c *course.Course) []error {
		return []error{c.Generate(ctx), c.Reset(ctx, short), c.Regenerate(ctx, short), c.Refresh(ctx),
			c.Bind(course.Inputs{})}
	}
	for _, err := range calls(c) {
		require.ErrorIs(t, err, backend.ErrClosed)
	}
	var none *course.Course
	for _, c := range []*course.Course{none, {}} {
		for _, err := range calls(c) {
			require.ErrorIs(t, err, backend.ErrInvalid)
		}
		require.NoError(t, c.Close())
		require.Nil(t, c.Signals())
		require.Nil(t, c.Checkpoints())
	}
	_, err = (*course.Signals)(nil).Read(ctx)
	require.ErrorIs(t, err, backend.ErrInvalid)
}

// Without a valid track there is no number of checkpoints to derive. With one that is given, there is a course.
func TestNoValidTrack(t *testing.T) {
	device := openCPU(t)
	c := loopConfigs()["road"]
	tracks := *c.Tracks
	tracks.Validity.MinHalfWidth = 5
	c.Tracks, c.Checkpoints.Max = &tracks, 0
	_, err := course.New(device, c)
	require.ErrorIs(t, err, course.ErrConfig)
	require.ErrorContains(t, err, "checkpoints.max is 0")
	c.Checkpoints.Max = 9
	made, err := course.New(device, c)
	require.NoError(t, err)
	require.NoError(t, made.Close())
}

// A course over a batch of the caller follows it by Refresh, and has no generator.
func TestOver(t *testing.T) {
	ctx, device := t.Context(), openCPU(t)
	c := loopConfigs()["road"]
	g, err := track.NewGenerator(device, *c.Tracks, track.WithSeed(3))
	require.NoError(t, err)
	defer func() { require.NoError(t, g.Close()) }()
	_, err = course.Over(device, course.Source{Tracks: g.Track()}, c)
	require.ErrorContains(t, err, "tracks is set")
	_, err = course.Over(device, course.Source{}, c)
	require.ErrorIs(t, err, backend.ErrInvalid)
	plain := c
	plain.Tracks = nil
	over, err := course.Over(device, course.Source{Tracks: g.Track()}, plain)
	require.NoError(t, err)
	defer func() { require.NoError(t, over.Close()) }()
	own, err := course.New(device, c, course.WithSeed(3))
	require.NoError(t, err)
	defer func() { require.NoError(t, own.Close()) }()
	require.Equal(t, prepared(t, own), prepared(t, over))
	mask := coursetest.Upload(t, device, []int32{0, 1, 0, 0, 1})
	_, err = g.Regenerate(ctx, mask)
	require.NoError(t, err)
	require.NoError(t, own.Regenerate(ctx, mask))
	require.NotEqual(t, prepared(t, own), prepared(t, over))
	require.NoError(t, over.RefreshMasked(ctx, mask))
	require.Equal(t, prepared(t, own), prepared(t, over))
	require.ErrorContains(t, over.Generate(ctx), "one with a generator")
	require.ErrorContains(t, over.Regenerate(ctx, mask), "one with a generator")
}

// A batch whose sizes are not those of its arrays is refused before any work.
func TestOverRefusesWrongSizes(t *testing.T) {
	device := openCPU(t)
	c := loopConfigs()["race"]
	tracks, err := track.NewGenerator(device, *c.Tracks)
	require.NoError(t, err)
	defer func() { require.NoError(t, tracks.Close()) }()
	c.Tracks = nil
	of := loopConfigs()["posts"]
	gates, err := gate.NewGenerator(device, *of.Gates)
	require.NoError(t, err)
	defer func() { require.NoError(t, gates.Close()) }()
	of.Gates = nil
	for _, envs := range []int{0, -1, 1, 7, math.MaxInt} {
		batch := *tracks.Track()
		batch.Envs = envs
		_, err := course.Over(device, course.Source{Tracks: &batch}, c)
		require.ErrorContains(t, err, fmt.Sprintf("course: over: envs of tracks is %d: must be that of the arrays, 5", envs))
		sequence := *gates.Sequence()
		sequence.Envs = envs
		_, err = course.Over(device, course.Source{Gates: &sequence}, of)
		require.ErrorContains(t, err, fmt.Sprintf("course: over: envs of gates is %d: must be that of the arrays, 5", envs))
	}
	sequence := *gates.Sequence()
	sequence.MaxGates--
	_, err = course.Over(device, course.Source{Gates: &sequence}, of)
	require.ErrorContains(t, err, "course: over: max_gates of gates is 31: must be that of the arrays, 32")
	_, err = course.Over(device, course.Source{Gates: new(gate.Sequence)}, of)
	require.ErrorContains(t, err, "course: over: envs of gates is 0")
}

// No constructor works inside a capture. Its error names it.
func TestConstructorsRefuseCaptures(t *testing.T) {
	device := openCPU(t)
	c := loopConfigs()["posts"]
	gates, err := gate.NewGenerator(device, *c.Gates)
	require.NoError(t, err)
	defer func() { require.NoError(t, gates.Close()) }()
	stream := device.CurrentStream()
	require.NoError(t, stream.BeginCapture())
	_, err = course.New(device, c)
	require.ErrorIs(t, err, exec.ErrCapture)
	require.ErrorContains(t, err, "course: new: ")
	c.Gates = nil
	_, err = course.Over(device, course.Source{Gates: gates.Sequence()}, c)
	require.ErrorIs(t, err, exec.ErrCapture)
	require.ErrorContains(t, err, `producer "course": construct: `)
	graph, err := stream.EndCapture()
	require.NoError(t, err)
	require.NoError(t, graph.Close())
}

// A call in another one, as from another goroutine, is refused, whichever they are, and changes nothing.
func TestOneCallAtATime(t *testing.T) {
	ctx, device := t.Context(), openCPU(t)
	var c *course.Course
	var errs []error
	intrude := pipeline.StageFunc("intrude", exec.Static, func(exec.Builder) (exec.Enqueue, error) {
		return func(*exec.LaunchContext) {
			if c == nil {
				return
			}
			_, err := c.Step(ctx)
			errs = append(errs, err, c.Close(), c.Reset(ctx, exec.Array[int32]{}), c.Refresh(ctx), c.Generate(ctx),
				c.RefreshMasked(ctx, c.Signals().Events.Passed), c.Regenerate(ctx, exec.Array[int32]{}),
				c.SetSeeds(ctx, make([]int32, loopEnvs)), c.SetEpoch(ctx, 1))
		}, nil
	})
	made, err := course.New(device, loopConfigs()["posts"], track.WithStages(intrude))
	require.NoError(t, err)
	defer func() { require.NoError(t, made.Close()) }()
	n := loopEnvs
	require.NoError(t, made.Bind(course.Inputs{Position: coursetest.Upload(t, device, make([]kernel.Vec3, n)),
		Orientation: coursetest.Upload(t, device, make([]kernel.Quat, n)),
		HalfExtents: coursetest.Upload(t, device, make([]kernel.Vec2, n))}))
	c = made
	require.NoError(t, c.Generate(ctx))
	require.Len(t, errs, 9)
	for i, err := range errs {
		require.ErrorIs(t, err, exec.ErrConcurrentUse, "call %d", i)
		require.ErrorContains(t, err, "course: ")
	}
	_, err = c.Step(ctx)
	require.NoError(t, err)
}

// A course has a configuration of its own, and later changes of the caller's have no effect.
func TestConfigIsCopied(t *testing.T) {
	c := loopConfigs()["road"]
	made, err := course.New(openCPU(t), c)
	require.NoError(t, err)
	defer func() { require.NoError(t, made.Close()) }()
	c.Tracks.NumEnvs = 99
	require.Equal(t, loopEnvs, made.Config().Tracks.NumEnvs)
	made.Config().Tracks.NumEnvs = 98
	require.Equal(t, loopEnvs, made.Config().Tracks.NumEnvs)
}

// With one box for each agent, boxes are around the agents, unless they have places of their own (C-106).
func TestPlacesOfBoxes(t *testing.T) {
	ctx, device := t.Context(), openCPU(t)
	c := loopConfigs()["race"]
	l := newLoop(t, device, nil, c)
	lc, err := exec.For(ctx, device)
	require.NoError(t, err)
	outside := func() (sum int32) {
		l.drive(lc)
		signals, err := l.course.Step(ctx)
		require.NoError(t, err)
		for _, out := range coursetest.Download(t, signals.Contacts.OutOfBounds) {
			sum += out
		}
		return sum
	}
	require.Less(t, outside(), int32(15))
	far := slices.Repeat([]kernel.Vec3{{X: 1000}}, 15)
	l.inputs.BoxPosition = coursetest.Upload(t, device, far)
	require.NoError(t, l.course.Bind(l.inputs))
	require.Equal(t, int32(15), outside())
}

// A generator whose stages are loops that the device may leave, and one of components, take the signals with them too.
func TestOtherGenerators(t *testing.T) {
	for name, tracks := range map[string]track.Config{
		"repulsive": tracktest.Small(tracktest.Config(track.Repulsive, loopEnvs)),
		"mixed":     tracktest.Config(track.Mixed, loopEnvs),
	} {
		t.Run(name, func(t *testing.T) {
			ctx, device := t.Context(), openCPU(t)
			c := loopConfigs()["road"]
			if name == "mixed" {
				for _, generator := range []string{track.Bezier, track.Polar} {
					tracks.Mix = append(tracks.Mix, track.DefaultConfig().NewComponent(1, generator))
				}
			}
			c.Tracks = &tracks
			l := newLoop(t, device, nil, c)
			before := l.state()
			mask := coursetest.Upload(t, device, []int32{0, 0, 1, 0, 0})
			require.NoError(t, l.course.Regenerate(ctx, mask))
			for e, v := range l.state() {
				assert.Equal(t, e == 2, before[e] != v, "env %d", e)
			}
			want, _ := eager(t, 1, c, 4)
			checkLoops(t, device, c, want)
		})
	}
}
