package track

import (
	"context"
	"errors"
	"hash/fnv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/trackgen-go/trackgen/backend"
	"github.com/trackgen-go/trackgen/exec"
	"github.com/trackgen-go/trackgen/exec/exectest"
	"github.com/trackgen-go/trackgen/kernel"
	"github.com/trackgen-go/trackgen/kernels/centerline"
	"github.com/trackgen-go/trackgen/pipeline"
	"github.com/trackgen-go/trackgen/seeds"
)

// register registers a generator for the duration of a test.
func register(t *testing.T, name string, spec Spec) {
	t.Helper()
	require.NoError(t, Register(name, spec))
	t.Cleanup(func() { generators.Remove(name) })
}

func openCPU(t *testing.T) backend.Device {
	t.Helper()
	device, err := backend.Open("cpu")
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, device.Close()) })
	return device
}

// bitsOf returns a hash of all bits of a batch.
func bitsOf(t *testing.T, b *Batch) uint64 {
	t.Helper()
	h := fnv.New64a()
	for _, c := range Schema.Host(&b.HostColumns) {
		h.Write(c.AppendWords(nil, 0, c.Len()))
	}
	return h.Sum64()
}

func batchOf(t *testing.T, device backend.Device, config Config, options ...Option) *Batch {
	t.Helper()
	g, err := NewGenerator(device, config, options...)
	require.NoError(t, err)
	defer func() { require.NoError(t, g.Close()) }()
	batch, err := g.Track().Batch(context.Background())
	require.NoError(t, err)
	return batch
}

// A registered name is accepted wherever a generator is named, and every list has it.
func TestRegister(t *testing.T) {
	builtIn := Generators()
	_, err := NewGenerator(openCPU(t), configOf("mine", 1))
	assert.ErrorIs(t, err, ErrConfig)
	register(t, "mine", Spec{Stage: polarStage, Kernels: centerline.Defs})
	assert.Equal(t, append(builtIn, "mine"), Generators())
	field, ok := FieldNamed("generator")
	require.True(t, ok)
	assert.Equal(t, append(Generators(), Mixed), field.Choices)
	assert.Equal(t, append(Generators(), Mixed), Fields()[0].Choices)
	assert.Contains(t, configOf("other", 1).Validate().Error(), "one of "+strings.Join(builtIn, ", ")+", mine")
	polar, err := configOf(Polar, 1).BytesPerEnv()
	require.NoError(t, err)
	mine, err := configOf("mine", 1).BytesPerEnv()
	require.NoError(t, err)
	assert.Equal(t, polar, mine, "the stages are the same")
	assert.Positive(t, configOf("mine", 1).MaxEnvs())

	device := openCPU(t)
	want := bitsOf(t, batchOf(t, device, configOf(Polar, 5), WithSeed(9)))
	assert.Equal(t, want, bitsOf(t, batchOf(t, device, configOf("mine", 5), WithSeed(9))))
}

// Many goroutines register generators at run time while others use them. A name can be registered only once.
func TestConcurrentRegistration(t *testing.T) {
	device := openCPU(t)
	names := []string{"run-time.one", "run-time.two"}
	var registered atomic.Int32
	var group sync.WaitGroup
	for range 8 {
		group.Go(func() {
			for _, name := range names {
				if err := Register(name, Spec{Stage: polarStage, Kernels: centerline.Defs}); err == nil {
					registered.Add(1)
				} else {
					assert.ErrorIs(t, err, backend.ErrInvalid)
				}
				generator, err := NewGenerator(device, configOf(name, 2))
				if assert.NoError(t, err) {
					assert.NoError(t, generator.Close())
				}
			}
		})
	}
	group.Wait()
	assert.EqualValues(t, len(names), registered.Load())
	assert.Subset(t, Generators(), names)
	for _, name := range names {
		generators.Remove(name)
	}
}

func TestRegisterRefuses(t *testing.T) {
	builtIn := Generators()
	for _, name := range append(builtIn, Mixed, "", "No", "a b") {
		assert.ErrorIs(t, Register(name, Spec{Stage: polarStage}), backend.ErrInvalid, "%q", name)
	}
	assert.ErrorIs(t, Register("empty", Spec{}), backend.ErrInvalid)
	assert.Equal(t, builtIn, Generators())
}

// Mistakes in a stage of a registered generator are errors of NewGenerator, which leaves nothing behind.
func TestWrongGenerators(t *testing.T) {
	device := openCPU(t)
	broken := errors.New("broken")
	stage := func(build func(b exec.Builder) (exec.Enqueue, error)) func(Config) exec.Stage {
		return func(Config) exec.Stage { return pipeline.StageFunc("loop", exec.Static, build) }
	}
	emit := func(*exec.LaunchContext) {}
	for name, wrong := range map[string]struct {
		stage func(Config) exec.Stage
		text  string
	}{
		"nil":    {func(Config) exec.Stage { return nil }, "stages[1]"},
		"broken": {stage(func(exec.Builder) (exec.Enqueue, error) { return nil, broken }), `build stage "loop": broken`},
		"silent": {stage(func(exec.Builder) (exec.Enqueue, error) { return emit, nil }), `input "loop"`},
		"short": {stage(func(b exec.Builder) (exec.Enqueue, error) {
			_, err := pipeline.Output[kernel.Vec2](b, LoopOutput, 7)
			return emit, err
		}), "loop length is 14: must be 512"},
		"flat": {stage(func(b exec.Builder) (exec.Enqueue, error) {
			_, err := pipeline.Output[float32](b, LoopOutput, 256)
			return emit, err
		}), "element type"},
		"key": {func(Config) exec.Stage { return pipeline.StageFunc("key", exec.Static, nil) },
			"an ID that no other stage has"},
		"failing": {stage(func(b exec.Builder) (exec.Enqueue, error) {
			_, err := pipeline.Output[kernel.Vec2](b, LoopOutput, 256)
			return func(lc *exec.LaunchContext) { lc.Fail(broken) }, err
		}), "broken"},
	} {
		register(t, name, Spec{Stage: wrong.stage})
		_, err := NewGenerator(device, configOf(name, 2))
		assert.ErrorContains(t, err, wrong.text, name)
	}
}

// legacyPolar is the polar generator as a producer that does not use a launch context and works on all envs.
func legacyPolar(c Config) exec.Stage {
	return pipeline.Legacy("loop", func(b exec.Builder) (pipeline.LegacyGenerate, error) {
		enqueue, err := polarStage(c).Build(b)
		return func(ctx context.Context, device backend.Device) error {
			lc, err := exec.For(ctx, device, exec.OnStream(device.CurrentStream()))
			if err != nil {
				return err
			}
			enqueue(lc)
			return lc.Err()
		}, err
	})
}

// A legacy generator makes the same tracks as the generator with a launch context, for all envs and by mask (D5).
func TestLegacyGenerator(t *testing.T) { // R53, R158
	register(t, "old", Spec{Stage: legacyPolar, Kernels: centerline.Defs})
	device := openCPU(t)
	assert.Equal(t, regenerated(t, device, configOf(Polar, 6)), regenerated(t, device, configOf("old", 6)))
}

// regenerated returns the bits of the tracks after two regenerations by mask, one with an empty mask.
func regenerated(t *testing.T, device backend.Device, config Config, options ...Option) uint64 {
	t.Helper()
	ctx := context.Background()
	g, err := NewGenerator(device, config, options...)
	require.NoError(t, err)
	defer func() { require.NoError(t, g.Close()) }()
	for _, values := range [][]int32{{0, 1, 0, 0, 1, 0}, make([]int32, 6)} {
		mask, err := exec.FromSlice(device, values)
		require.NoError(t, err)
		_, err = g.Regenerate(ctx, mask)
		require.NoError(t, err)
		require.NoError(t, mask.Close())
	}
	batch, err := g.Track().Batch(ctx)
	require.NoError(t, err)
	return bitsOf(t, batch)
}

// longest is a stage of a user that finds the longest track of the batch on the host.
func longest(class exec.CaptureClass) exec.Stage {
	return pipeline.StageFunc("longest", class, func(b exec.Builder) (exec.Enqueue, error) {
		length, err := pipeline.Input[float32](b, "length")
		if err != nil {
			return nil, err
		}
		out, err := pipeline.SharedOutput[float32](b, "longest", 1)
		if err != nil {
			return nil, err
		}
		via, err := exec.HostBuffer[float32](b, b.Envs())
		return func(lc *exec.LaunchContext) {
			host, err := lc.Host()
			if err != nil {
				lc.Fail(err)
				return
			}
			values, err := exec.Readback(host, length, via)
			if err != nil {
				lc.Fail(err)
				return
			}
			most := float32(0)
			for _, v := range values {
				most = max(most, v)
			}
			if err := exec.Upload(host, out, []float32{most}, via); err != nil {
				lc.Fail(err)
			}
		}, err
	})
}

// A HOST stage at the end reads the tracks. The tracks stay the same, and captures are refused before any work.
func TestHostStage(t *testing.T) { // R75, R66
	ctx := context.Background()
	device := openCPU(t)
	config := configOf(Bezier, 6)
	assert.Equal(t, regenerated(t, device, config), regenerated(t, device, config, WithStages(longest(exec.Host))))

	g, err := NewGenerator(device, config, WithStages(longest(exec.Host)))
	require.NoError(t, err)
	defer func() { require.NoError(t, g.Close()) }()
	check := func(batch *Batch) {
		array, err := pipeline.ArrayOf[float32](g.Program(), "longest")
		require.NoError(t, err)
		values, err := array.Read(ctx)
		require.NoError(t, err)
		most := float32(0)
		for _, v := range batch.Length {
			most = max(most, v)
		}
		assert.Equal(t, most, values[0])
	}
	require.NoError(t, g.SetSeeds(ctx, []int32{60, 61, 62, 63, 64, 65}))
	result, err := g.Generate(ctx)
	require.NoError(t, err)
	batch, err := result.Batch(ctx)
	require.NoError(t, err)
	check(batch)

	mask, err := exec.FromSlice(device, []int32{1, 1, 1, 1, 1, 0})
	require.NoError(t, err)
	defer func() { require.NoError(t, mask.Close()) }()
	stream := device.DefaultStream()
	require.NoError(t, stream.BeginCapture())
	var refused *exec.NotCapturableError
	_, err = g.Generate(ctx)
	assert.ErrorAs(t, err, &refused)
	assert.Equal(t, []string{"longest"}, refused.StageIDs)
	_, err = g.Regenerate(ctx, mask)
	assert.ErrorAs(t, err, &refused)
	graph, err := stream.EndCapture()
	require.NoError(t, err)
	require.NoError(t, graph.Close())

	_, err = g.Regenerate(ctx, mask)
	require.NoError(t, err)
	batch, err = g.Track().Batch(ctx)
	require.NoError(t, err)
	check(batch)

	_, err = NewGenerator(device, config, WithStages(longest(exec.Static)))
	assert.ErrorContains(t, err, `build stage "longest"`)
}

// The stages make the same tracks in a program of your own.
func TestStagesInAnotherProgram(t *testing.T) {
	device := openCPU(t)
	config := configOf(Bezier, 4, func(c *Config) { c.Road.HalfWidth, c.Output.MaxPoints = 0.05, 600 })
	stages, err := Stages(config)
	require.NoError(t, err)
	state, err := seeds.New(device, 4, seeds.Options{Base: 30})
	require.NoError(t, err)
	defer func() { require.NoError(t, state.Close()) }()
	builder, err := pipeline.NewBuilder(device, 4)
	require.NoError(t, err)
	program, err := builder.Build(append([]exec.Stage{pipeline.SeedStage(state)}, stages...)...)
	require.NoError(t, err)
	defer func() { require.NoError(t, program.Close()) }()
	lc, err := exec.For(context.Background(), device)
	require.NoError(t, err)
	program.Enqueue(lc)
	require.NoError(t, lc.Err())
	center, err := pipeline.ArrayOf[kernel.Vec3](program, "center")
	require.NoError(t, err)
	got, err := center.Read(t.Context())
	require.NoError(t, err)
	batch := batchOf(t, device, config, WithSeed(30))
	require.Equal(t, len(batch.Center), len(got))
	for e := range batch.Envs {
		row := e * batch.NMax
		assert.Equal(t, batch.Center[row:row+int(batch.Count[e])], got[row:row+int(batch.Count[e])])
	}
	_, err = Stages(configOf(Bezier, -1))
	assert.ErrorIs(t, err, ErrConfig)
}

// The stages of the generators pass every check of the conformance kit (R138).
func TestGeneratorStagesPassTheChecks(t *testing.T) {
	for _, name := range []string{Bezier, Polar, Repulsive} {
		t.Run(name, func(t *testing.T) {
			c := configOf(name, 1, func(c *Config) { c.Output.LoopPoints, c.Repulsive.GrowthRate = 64, 0.1 }).Resolved()
			exectest.CheckStage(t, c.spec().Stage(c), exectest.Config{Devices: []backend.Device{openCPU(t)}})
		})
	}
}
