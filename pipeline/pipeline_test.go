package pipeline_test

import (
	"context"
	"errors"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/trackgen-go/trackgen/backend"
	_ "github.com/trackgen-go/trackgen/backend/cpu"
	"github.com/trackgen-go/trackgen/exec"
	"github.com/trackgen-go/trackgen/exec/exectest"
	"github.com/trackgen-go/trackgen/kernel"
	"github.com/trackgen-go/trackgen/kernels/seeding"
	"github.com/trackgen-go/trackgen/kernels/selection"
	"github.com/trackgen-go/trackgen/pipeline"
	"github.com/trackgen-go/trackgen/seeds"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// open opens a CPU device, which must have no leak at the end of the test.
func open(t testing.TB) backend.Device {
	t.Helper()
	device, err := backend.Open("cpu")
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, device.Close()) })
	return device
}

func newBuilder(t testing.TB, device backend.Device, envs int) *pipeline.Builder {
	t.Helper()
	b, err := pipeline.NewBuilder(device, envs)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, b.Close()) })
	return b
}

// keyed writes seed+epoch facts of the active envs, with a kernel of the library.
func keyed(id string) exec.Stage {
	return pipeline.StageFunc(id, exec.Static, func(b exec.Builder) (exec.Enqueue, error) {
		active, err := pipeline.Active(b)
		if err != nil {
			return nil, err
		}
		var failed error
		array := func(name string) exec.Array[int32] {
			a, err := pipeline.Output[int32](b, name, 1)
			failed = errors.Join(failed, err)
			return a
		}
		epoch, effective, usedSeed, usedEpoch := array(id+".epoch"), array(id+".effective"), array(id+".seed"),
			array(id+".used")
		counters, err := pipeline.SharedOutput[int32](b, id+".counters", 2)
		envs, seed := b.Envs(), b.Seed()
		return func(lc *exec.LaunchContext) {
			selection.Key(lc, max(envs, 2), selection.KeyArgs{
				Active: active.Array(), Seed: seed, Epoch: epoch, Effective: effective, UsedSeed: usedSeed,
				UsedEpoch: usedEpoch, Counters: counters,
			})
		}, errors.Join(failed, err)
	})
}

// seedWith fills the effective seeds.
func seedWith(value int32) exec.Stage {
	return pipeline.StageFunc("seed", exec.Static, func(b exec.Builder) (exec.Enqueue, error) {
		seed := b.Seed()
		return func(lc *exec.LaunchContext) { exec.Fill(lc, seed, value) }, nil
	})
}

func read[T kernel.Element](t testing.TB, p *pipeline.Program, name string) []T {
	t.Helper()
	array, err := pipeline.ArrayOf[T](p, name)
	require.NoError(t, err)
	values, err := array.Read(t.Context())
	require.NoError(t, err)
	return values
}

func TestProgram(t *testing.T) { // R155, R156
	ctx := context.Background()
	device := open(t)
	stages := []exec.Stage{seedWith(7), keyed("key")}
	p, err := newBuilder(t, device, 3).Build(stages...)
	require.NoError(t, err)
	runner, err := exec.NewGraphRunner(device, pipeline.RunnerOptions("test", stages...))
	require.NoError(t, err)
	defer func() { require.NoError(t, runner.Close()) }()
	assert.True(t, runner.Capturable())
	_, err = runner.Run(ctx, p.Enqueue, exec.RunOptions{})
	require.NoError(t, err)
	assert.Equal(t, []int32{7, 7, 7}, read[int32](t, p, "key.seed"))
	assert.Equal(t, []string{"key.counters", "key.effective", "key.epoch", "key.seed", "key.used"}, p.Arrays())
	assert.Equal(t, int64(4*(3+4+4*3+2)), p.Bytes())
	assert.Zero(t, testing.AllocsPerRun(10, func() { _, _ = runner.Run(ctx, p.Enqueue, exec.RunOptions{}) }))
	require.NoError(t, p.Close())
	require.NoError(t, p.Close(), "twice")
}

// A generation of some envs does not change the others, and the next one is of all envs again.
func TestEnqueueEnvs(t *testing.T) { // R109
	device := open(t)
	b := newBuilder(t, device, 4)
	p, err := b.Build(keyed("key"))
	require.NoError(t, err)
	require.NoError(t, p.Seed().Write(t.Context(), []int32{1, 2, 3, 4}))
	list, err := exec.FromSlice(device, []int32{2, 1, 3, 0, 0})
	require.NoError(t, err)
	defer func() { require.NoError(t, list.Close()) }()
	lc, err := exec.For(context.Background(), device)
	require.NoError(t, err)
	p.EnqueueEnvs(lc, list)
	require.NoError(t, lc.Err())
	assert.Equal(t, []int32{0, 2, 0, 4}, read[int32](t, p, "key.seed"))
	assert.Equal(t, b.Active().All(), b.Active().Array())
	p.Enqueue(lc)
	require.NoError(t, lc.Err())
	assert.Equal(t, []int32{1, 2, 3, 4}, read[int32](t, p, "key.seed"))

	short, err := list.Slice(0, 4)
	require.NoError(t, err)
	p.EnqueueEnvs(lc, short)
	assert.ErrorIs(t, lc.Err(), backend.ErrInvalid)
	_, err = p.Segments(short)
	assert.ErrorIs(t, err, backend.ErrInvalid)
}

func TestSeedStage(t *testing.T) { // R107, R105
	device := open(t)
	state, err := seeds.New(device, 3, seeds.Options{Base: 40})
	require.NoError(t, err)
	defer func() { require.NoError(t, state.Close()) }()
	p, err := newBuilder(t, device, 3).Build(pipeline.SeedStage(state))
	require.NoError(t, err)
	lc, err := exec.For(context.Background(), device)
	require.NoError(t, err)
	state.Advance(lc)
	p.Enqueue(lc)
	require.NoError(t, lc.Err())
	values, err := p.Seed().Read(t.Context())
	require.NoError(t, err)
	assert.Equal(t, []int32{seeds.EffectiveSeed(40, 1), seeds.EffectiveSeed(41, 1), seeds.EffectiveSeed(42, 1)}, values)

	_, err = newBuilder(t, device, 4).Build(pipeline.SeedStage(state))
	assert.ErrorIs(t, err, backend.ErrInvalid, "a state of another number of envs")
	_, err = newBuilder(t, device, 4).Build(pipeline.SeedStage(nil))
	assert.ErrorIs(t, err, backend.ErrInvalid)
}

// hostSum is a HOST stage that reads back seeds and uploads their sum.
func hostSum(class exec.CaptureClass) exec.Stage {
	return pipeline.StageFunc("sum", class, func(b exec.Builder) (exec.Enqueue, error) {
		via, err := exec.HostBuffer[int32](b, b.Envs())
		if err != nil {
			return nil, err
		}
		sum, err := pipeline.SharedOutput[int32](b, "sum", 1)
		seed := b.Seed()
		return func(lc *exec.LaunchContext) {
			host, err := lc.Host()
			if err != nil {
				lc.Fail(err)
				return
			}
			values, err := exec.Readback(host, seed, via)
			if err != nil {
				lc.Fail(err)
				return
			}
			total := int32(0)
			for _, v := range values {
				total += v
			}
			if err := exec.Upload(host, sum, []int32{total}, via); err != nil {
				lc.Fail(err)
			}
		}, err
	})
}

// HOST stages cut a program into segments (R155, R75) and prevent its capture (R66).
func TestHostStages(t *testing.T) {
	ctx := context.Background()
	device := open(t)
	bounded := pipeline.StageFunc("loop", exec.Bounded, func(b exec.Builder) (exec.Enqueue, error) {
		return func(*exec.LaunchContext) {}, nil
	})
	stages := []exec.Stage{seedWith(5), bounded, hostSum(exec.Host), keyed("after")}
	options := pipeline.RunnerOptions("with host", stages...)
	assert.False(t, options.Capturable)
	assert.Equal(t, []string{"sum"}, options.StageIDs)
	p, err := newBuilder(t, device, 3).Build(stages...)
	require.NoError(t, err)
	segments, err := p.Segments(exec.Array[int32]{})
	require.NoError(t, err)
	var cut []string
	for _, s := range segments {
		cut = append(cut, s.Class.String()+" "+s.StageID)
	}
	assert.Equal(t, []string{"bounded seed", "host sum", "static after"}, cut)

	runner, err := exec.NewGraphRunner(device, options)
	require.NoError(t, err)
	defer func() { require.NoError(t, runner.Close()) }()
	_, err = runner.RunSegments(ctx, segments, exec.RunOptions{})
	require.NoError(t, err)
	assert.Equal(t, []int32{15}, read[int32](t, p, "sum"))
	assert.Equal(t, []int32{5, 5, 5}, read[int32](t, p, "after.seed"))

	stream := device.DefaultStream()
	require.NoError(t, stream.BeginCapture())
	_, err = runner.RunSegments(ctx, segments, exec.RunOptions{})
	var refused *exec.NotCapturableError
	require.ErrorAs(t, err, &refused)
	assert.Equal(t, []string{"sum"}, refused.StageIDs)
	graph, err := stream.EndCapture()
	require.NoError(t, err)
	require.NoError(t, graph.Close())

	_, err = newBuilder(t, device, 3).Build(hostSum(exec.Static))
	assert.ErrorContains(t, err, `build stage "sum"`, "host memory in another stage (R86)")
}

// A legacy producer launches on the current stream, which is the call's stream (D5).
func TestLegacy(t *testing.T) { // R53, R158
	ctx := context.Background()
	device := open(t)
	legacy := pipeline.Legacy("old", func(b exec.Builder) (pipeline.LegacyGenerate, error) {
		epoch, err := pipeline.Output[int32](b, "epoch", 1)
		envs := b.Envs()
		return func(ctx context.Context, device backend.Device) error {
			lc, err := exec.For(ctx, device, exec.OnStream(device.CurrentStream()))
			if err != nil {
				return err
			}
			seeding.Advance(lc, envs, epoch)
			return lc.Err()
		}, err
	})
	options := pipeline.RunnerOptions("legacy", legacy)
	assert.True(t, options.Legacy)
	p, err := newBuilder(t, device, 2).Build(legacy)
	require.NoError(t, err)
	runner, err := exec.NewGraphRunner(device, options)
	require.NoError(t, err)
	defer func() { require.NoError(t, runner.Close()) }()
	for range 3 {
		_, err = runner.Run(ctx, p.Enqueue, exec.RunOptions{})
		require.NoError(t, err)
	}
	assert.Equal(t, []int32{3, 3}, read[int32](t, p, "epoch"))

	stream, err := device.NewStream()
	require.NoError(t, err)
	defer func() { require.NoError(t, stream.Close()) }()
	require.NoError(t, stream.BeginCapture())
	_, err = runner.Run(ctx, p.Enqueue, exec.RunOptions{Stream: stream})
	var refused *exec.LegacyPluginStreamError
	assert.ErrorAs(t, err, &refused)
	graph, err := stream.EndCapture()
	require.NoError(t, err)
	require.NoError(t, graph.Close())

	failing := pipeline.Legacy("old", func(exec.Builder) (pipeline.LegacyGenerate, error) {
		return nil, errors.New("no room")
	})
	_, err = newBuilder(t, device, 2).Build(failing)
	assert.EqualError(t, err, `build stage "old": no room`)
	_, err = newBuilder(t, device, 2).Build(pipeline.Legacy("old", nil))
	assert.ErrorIs(t, err, backend.ErrInvalid)
}

// Names connect stages. The error of a bad name lists the existing names.
func TestArrays(t *testing.T) {
	device := open(t)
	b := newBuilder(t, device, 3)
	mine, err := exec.NewArray[float32](device, 6)
	require.NoError(t, err)
	defer func() { require.NoError(t, mine.Close()) }()
	require.NoError(t, pipeline.Provide(b, "mine", mine))
	err = pipeline.Provide(b, "mine", mine)
	assert.ErrorIs(t, err, backend.ErrInvalid, "twice")
	assert.ErrorIs(t, pipeline.Provide(b, "", mine), backend.ErrInvalid)
	assert.ErrorIs(t, pipeline.Provide(b, "none", exec.Array[float32]{}), backend.ErrInvalid)
	assert.ErrorIs(t, pipeline.Provide(nil, "other", mine), backend.ErrInvalid)

	_, err = pipeline.Input[int32](b, "mine")
	assert.ErrorContains(t, err, "element type", "int32 of a float32")
	_, err = pipeline.Input[int32](b, "other")
	assert.ErrorContains(t, err, `["mine"]`)
	_, err = pipeline.Input[int32](nil, "mine")
	assert.ErrorIs(t, err, backend.ErrInvalid)

	_, err = pipeline.Output[float32](b, "mine", 3)
	assert.ErrorContains(t, err, "provided array length is 6: must be 9")
	_, err = pipeline.Output[int32](b, "mine", 2)
	assert.ErrorContains(t, err, "element type")
	written, err := pipeline.Output[float32](b, "mine", 2)
	require.NoError(t, err)
	assert.Equal(t, mine, written, "a provided array is the output")
	_, err = pipeline.Output[float32](b, "mine", 2)
	assert.ErrorIs(t, err, backend.ErrInvalid, "a second writer")
	_, err = pipeline.Output[float32](b, "", 2)
	assert.ErrorIs(t, err, backend.ErrInvalid)
	_, err = pipeline.Output[float32](b, "huge", 1<<40)
	assert.ErrorIs(t, err, backend.ErrInvalid)
	_, err = pipeline.Output[float32](nil, "x", 2)
	assert.ErrorIs(t, err, backend.ErrInvalid)
	read, err := pipeline.Input[float32](b, "mine")
	require.NoError(t, err)
	assert.Equal(t, mine, read)
	_, err = pipeline.Active(nil)
	assert.ErrorIs(t, err, backend.ErrInvalid)
}

// A failed Build leaves nothing open: the device checks that when it is closed.
func TestBuildRefuses(t *testing.T) {
	device := open(t)
	broken := errors.New("broken")
	build := func(id string, class exec.CaptureClass, enqueue exec.Enqueue, err error) exec.Stage {
		return pipeline.StageFunc(id, class, func(b exec.Builder) (exec.Enqueue, error) {
			_, allocated := exec.PerEnv[int32](b, 10)
			return enqueue, errors.Join(allocated, err)
		})
	}
	emit := func(*exec.LaunchContext) {}
	for name, stages := range map[string][]exec.Stage{
		"no stages":     {},
		"a nil stage":   {build("a", exec.Static, emit, nil), nil},
		"one ID twice":  {build("a", exec.Static, emit, nil), build("a", exec.Static, emit, nil)},
		"no ID":         {build("", exec.Static, emit, nil)},
		"no such class": {build("a", 7, emit, nil)},
		"no enqueue":    {build("a", exec.Host, nil, nil)},
		"no build":      {pipeline.StageFunc("a", exec.Static, nil)},
	} {
		b, err := pipeline.NewBuilder(device, 5)
		require.NoError(t, err)
		_, err = b.Build(stages...)
		assert.ErrorIs(t, err, backend.ErrInvalid, name)
		_, err = b.Build(seedWith(1))
		assert.ErrorIs(t, err, backend.ErrInvalid, "a builder builds once")
	}
	b, err := pipeline.NewBuilder(device, 5)
	require.NoError(t, err)
	_, err = b.Build(seedWith(1), build("a", exec.Host, emit, broken))
	assert.ErrorIs(t, err, broken)
	assert.ErrorContains(t, err, `build stage "a"`)

	_, err = pipeline.NewBuilder(nil, 5)
	assert.ErrorIs(t, err, backend.ErrInvalid)
	_, err = pipeline.NewBuilder(device, 0)
	assert.ErrorIs(t, err, backend.ErrInvalid)
	_, err = pipeline.NewBuilder(device, 1<<40)
	assert.ErrorIs(t, err, backend.ErrInvalid)
}

func TestPresets(t *testing.T) {
	make := func() ([]exec.Stage, error) { return []exec.Stage{seedWith(1), keyed("key")}, nil }
	require.NoError(t, pipeline.Register("test.keys", make))
	assert.Contains(t, pipeline.Presets(), "test.keys")
	stages, err := pipeline.Stages("test.keys")
	require.NoError(t, err)
	assert.Len(t, stages, 2)
	assert.ErrorIs(t, pipeline.Register("test.keys", make), backend.ErrInvalid, "twice")
	assert.ErrorIs(t, pipeline.Register("No Name", make), backend.ErrInvalid)
	assert.ErrorIs(t, pipeline.Register("test.nil", nil), backend.ErrInvalid)
	_, err = pipeline.Stages("test.other")
	assert.ErrorContains(t, err, "test.keys")
	broken := errors.New("broken")
	require.NoError(t, pipeline.Register("test.broken", func() ([]exec.Stage, error) { return nil, broken }))
	_, err = pipeline.Stages("test.broken")
	assert.ErrorIs(t, err, broken)
}

// A stage of this package also builds alone, as the checks of exec/exectest build it (R138).
func TestStagesPassTheChecks(t *testing.T) {
	for _, stage := range []exec.Stage{keyed("key"), hostSum(exec.Host)} {
		t.Run(stage.ID(), func(t *testing.T) {
			exectest.CheckStage(t, stage, exectest.Config{Devices: []backend.Device{open(t)}})
		})
	}
}

// A caller's graph still works after the program is closed.
func TestGraphOutlivesProgram(t *testing.T) { // R166
	device := open(t)
	p, err := newBuilder(t, device, 3).Build(seedWith(7), keyed("key"))
	require.NoError(t, err)
	used, err := pipeline.ArrayOf[int32](p, "key.seed")
	require.NoError(t, err)
	result, err := exec.FromSlice(device, []int32{0, 0, 0})
	require.NoError(t, err)
	defer func() { require.NoError(t, result.Close()) }()
	stream := device.DefaultStream()
	require.NoError(t, stream.BeginCapture())
	lc, err := exec.For(context.Background(), device)
	require.NoError(t, err)
	p.Enqueue(lc)
	exec.Copy(lc, result, used)
	require.NoError(t, lc.Err())
	graph, err := stream.EndCapture()
	require.NoError(t, err)
	defer func() { require.NoError(t, graph.Close()) }()
	require.NoError(t, p.Close())
	require.NoError(t, stream.Replay(graph))
	values, err := result.Read(t.Context())
	require.NoError(t, err)
	assert.Equal(t, []int32{7, 7, 7}, values)
	p.Enqueue(lc)
	require.ErrorIs(t, lc.Err(), exec.ErrClosed)
}

// The methods of a nil or zero program return an error.
func TestProgramThatNobodyMade(t *testing.T) { // R99
	device := open(t)
	requireArg := func(err error, arg string) {
		t.Helper()
		var argError *backend.ArgumentError
		require.ErrorAs(t, err, &argError)
		require.Equal(t, arg, argError.Argument)
	}
	for _, p := range []*pipeline.Program{nil, {}} {
		lc, err := exec.For(t.Context(), device)
		require.NoError(t, err)
		p.Enqueue(lc)
		requireArg(lc.Err(), "program")
		_, err = p.Segments(exec.Array[int32]{})
		requireArg(err, "program")
		_, err = pipeline.ArrayOf[int32](p, "x")
		requireArg(err, "program")
		assert.Equal(t, exec.RunnerOptions{Name: "x"}, p.RunnerOptions("x"))
		require.NoError(t, p.Close())
	}
	var b *pipeline.Builder
	stage := pipeline.Legacy("old", func(exec.Builder) (pipeline.LegacyGenerate, error) { return nil, nil })
	_, err := b.Build(stage)
	requireArg(err, "builder")
	_, err = stage.Build(b)
	requireArg(err, "builder")
	_, err = pipeline.Nested(b, pipeline.NestedOptions{})
	requireArg(err, "builder")
	require.NoError(t, b.Close())
}
