//go:build cgo && linux

package track

import (
	"context"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/trackgen-go/trackgen/backend"
	_ "github.com/trackgen-go/trackgen/backend/cuda"
	"github.com/trackgen-go/trackgen/backend/cuda/emulator"
	_ "github.com/trackgen-go/trackgen/backend/vulkan"
	"github.com/trackgen-go/trackgen/exec"
	"github.com/trackgen-go/trackgen/internal/required"
	"github.com/trackgen-go/trackgen/kernels/centerline"
	"github.com/trackgen-go/trackgen/pipeline"
)

// onGPUs runs a test on CUDA with an emulated driver and, where there is a driver, on Vulkan.
func onGPUs(t *testing.T, run func(t *testing.T, device backend.Device)) {
	onGPUsWith(t, func(*testing.T, *emulator.Emulator) {}, run)
}

// onGPUsWith is onGPUs with an emulated driver to which load adds kernels.
func onGPUsWith(t *testing.T, load func(t *testing.T, e *emulator.Emulator),
	run func(t *testing.T, device backend.Device)) {
	t.Setenv("LP_NUM_THREADS", "0") // a software Vulkan driver computes on the thread of its queue
	for _, name := range []string{"cuda:0", "vulkan:0"} {
		t.Run(name, func(t *testing.T) {
			if name == "cuda:0" {
				e := emulator.Start(t, 12080, 1)
				for _, area := range []string{"centerline", "elevation", "hull", "inflation", "relaxation", "seeding", "selection",
					"variation"} {
					e.LoadKernels(t, "../kernels/"+area+"/kernel_generated.cu")
				}
				load(t, e)
			}
			device, err := backend.Open(name)
			if name == "vulkan:0" && err != nil {
				required.Skip(t, required.Vulkan, "there is no Vulkan: %v", err)
			}
			require.NoError(t, err)
			t.Cleanup(func() { require.NoError(t, device.Close()) })
			run(t, device)
		})
	}
}

// A legacy generator and a stage that works on the host make the same tracks on GPUs as on the CPU, for all envs and by
// mask.
func TestLegacyAndHostStagesOnGPUs(t *testing.T) { // R53, R75, R158
	register(t, "old", Spec{Stage: legacyPolar, Kernels: centerline.Defs})
	config, old := configOf(Polar, 6), configOf("old", 6)
	want := regenerated(t, openCPU(t), config)
	onGPUs(t, func(t *testing.T, device backend.Device) {
		assert.Equal(t, want, regenerated(t, device, old), "legacy")
		assert.Equal(t, want, regenerated(t, device, config, WithStages(longest(exec.Host))), "HOST")
		assert.Equal(t, want, regenerated(t, device, old, WithStages(longest(exec.Host))), "legacy and HOST")
	})
}

// Drawn roads have the same bits on every device, for all envs and by mask.
func TestVariationOnGPUs(t *testing.T) {
	config := configOf(Polar, 6, wide(0.05, 0.2), turning)
	long := configOf(Bezier, 6, wide(0.05, 0.2), turning, func(c *Config) { c.Output.MaxPoints = 400 })
	one, other := regenerated(t, openCPU(t), config), regenerated(t, openCPU(t), long)
	onGPUs(t, func(t *testing.T, device backend.Device) {
		assert.Equal(t, one, regenerated(t, device, config))
		assert.Equal(t, other, regenerated(t, device, long), "the relaxation in global memory")
	})
}

// Hills and banking have the same bits on every device, for all envs and by mask, with and without candidates.
func TestHillsOnGPUs(t *testing.T) {
	var configs []Config
	for k, profile := range []string{"uniform", "random_walk", "noise"} {
		configs = append(configs, configOf(Polar, 6, turning, func(c *Config) {
			c.Elevation.Profile, c.Elevation.Max, c.Elevation.MaxStep, c.Elevation.NoiseAmplitude = profile, 0.5, 0.8, 0.5
			c.Candidates, c.Validity.MaxGrade = 1+k, 0.6
			if k > 0 {
				c.Banking.Profile = "curvature"
			}
		}))
	}
	var want []uint64
	for _, config := range configs {
		want = append(want, regenerated(t, openCPU(t), config))
	}
	onGPUs(t, func(t *testing.T, device backend.Device) {
		for k, config := range configs {
			assert.Equal(t, want[k], regenerated(t, device, config), config.Elevation.Profile)
		}
	})
}

// A legacy producer behaves the same as a part of a stage and as a stage of its own. Generations and regenerations run
// on every device. Before any work, a capture of a stream other than the current one is refused; a capture of the
// current stream is accepted.
func TestLegacyPartOfStage(t *testing.T) { // R53, R64
	ctx := context.Background()
	legacy := func(count exec.Array[int32]) exec.Stage {
		return pipeline.Legacy("old", func(exec.Builder) (pipeline.LegacyGenerate, error) {
			return func(_ context.Context, device backend.Device) error {
				return device.CurrentStream().Fill(count.View(), 3)
			}, nil
		})
	}
	part := func(count exec.Array[int32]) exec.Stage {
		return pipeline.StageFunc("outer", exec.Static, func(b exec.Builder) (exec.Enqueue, error) {
			n, err := pipeline.Nested(b, pipeline.NestedOptions{Apart: true})
			if err != nil {
				return nil, err
			}
			p, err := n.Build(legacy(count))
			if err != nil {
				return nil, err
			}
			return p.Enqueue, nil
		})
	}
	config := configOf(Polar, 6)
	want := regenerated(t, openCPU(t), config)
	test := func(t *testing.T, device backend.Device) {
		for name, stage := range map[string]func(exec.Array[int32]) exec.Stage{"stage": legacy, "part": part} {
			count, err := exec.NewArray[int32](device, 1)
			require.NoError(t, err)
			defer func() { require.NoError(t, count.Close()) }()
			assert.Equal(t, want, regenerated(t, device, config, WithStages(stage(count))), name)
			values, err := count.Read(ctx)
			require.NoError(t, err)
			assert.Equal(t, []int32{3}, values, name)

			g, err := NewGenerator(device, config, WithStages(stage(count)))
			require.NoError(t, err)
			defer func() { require.NoError(t, g.Close()) }()
			side, err := device.NewStream()
			require.NoError(t, err)
			defer func() { require.NoError(t, side.Close()) }()
			nodes := func(stream backend.Stream) (int, error) {
				require.NoError(t, stream.BeginCapture())
				lc, err := exec.For(ctx, device, exec.OnStream(stream))
				require.NoError(t, err)
				_, refused := g.Generate(exec.With(ctx, lc))
				graph, err := stream.EndCapture()
				require.NoError(t, err)
				defer func() { require.NoError(t, graph.Close()) }()
				return graph.Nodes(), refused
			}
			n, err := nodes(side)
			var refused *exec.LegacyPluginStreamError
			require.ErrorAs(t, err, &refused, name)
			assert.Zero(t, n, name)
			n, err = nodes(device.DefaultStream())
			require.NoError(t, err, name)
			assert.Positive(t, n, name)
		}
	}
	t.Run("cpu", func(t *testing.T) { test(t, openCPU(t)) })
	onGPUs(t, test)
}

// The parts of a generation between HOST stages are separate graphs. A legacy generation is one graph, and is recorded
// only into captures of the current stream. The bits are those of the CPU each time.
func TestGraphsOfLegacyAndHostStages(t *testing.T) { // R53, R64, R66, R75
	register(t, "old", Spec{Stage: legacyPolar, Kernels: centerline.Defs})
	config, old := configOf(Polar, 4), configOf("old", 4)
	ctx := context.Background()
	want := bitsOf(t, batchOf(t, openCPU(t), config))
	onGPUs(t, func(t *testing.T, device backend.Device) {
		check := func(g *Generator) {
			t.Helper()
			batch, err := g.Track().Batch(ctx)
			require.NoError(t, err)
			assert.Equal(t, want, bitsOf(t, batch))
		}
		host, err := NewGenerator(device, config, WithStages(longest(exec.Host)))
		require.NoError(t, err)
		defer func() { require.NoError(t, host.Close()) }()
		legacy, err := NewGenerator(device, old)
		require.NoError(t, err)
		defer func() { require.NoError(t, legacy.Close()) }()
		for _, g := range []*Generator{host, legacy} {
			for range 3 {
				require.NoError(t, g.SetEpoch(ctx, 1)) // gives other tracks
				_, err := g.Generate(ctx)
				require.NoError(t, err)
				require.NoError(t, g.SetEpoch(ctx, 0))
				_, err = g.Generate(ctx)
				require.NoError(t, err)
				check(g)
			}
		}
		longestOf, err := pipeline.ArrayOf[float32](host.Program(), "longest")
		require.NoError(t, err)
		most, err := longestOf.Read(ctx)
		require.NoError(t, err)
		assert.Positive(t, most[0])

		stream, err := device.NewStream()
		require.NoError(t, err)
		defer func() { require.NoError(t, stream.Close()) }()
		require.NoError(t, stream.BeginCapture())
		lc, err := exec.For(ctx, device, exec.OnStream(stream))
		require.NoError(t, err)
		inside := exec.With(ctx, lc)
		var refused *exec.NotCapturableError
		_, err = host.Generate(inside)
		require.ErrorAs(t, err, &refused)
		var other *exec.LegacyPluginStreamError
		_, err = legacy.Generate(inside)
		require.ErrorAs(t, err, &other, "the capture is of another stream than the current one")
		require.NoError(t, device.SetCurrentStream(stream))
		_, err = legacy.Generate(inside)
		require.NoError(t, err)
		require.NoError(t, device.SetCurrentStream(device.DefaultStream()))
		graph, err := stream.EndCapture()
		require.NoError(t, err)
		defer func() { require.NoError(t, graph.Close()) }()
		require.NoError(t, legacy.SetEpoch(ctx, 3))
		require.NoError(t, legacy.SetEpoch(ctx, 0))
		require.NoError(t, stream.Replay(graph))
		require.NoError(t, stream.Sync())
		check(legacy)
	})
}

// With more masks than a generator has graphs for, the tracks are the same and there is one warning, which goes to the
// given function.
func TestMoreMasksThanGraphs(t *testing.T) { // R70, R98
	ctx := context.Background()
	config := configOf(Polar, 2)
	const masks = exec.DefaultMaxKeyedGraphs + 3
	cpu := openCPU(t)
	first, last := batchOf(t, cpu, config), batchOf(t, cpu, config, WithEpoch(masks))
	onGPUs(t, func(t *testing.T, device backend.Device) {
		var warnings []exec.Warning
		g, err := NewGenerator(device, config, WithWarnings(func(w exec.Warning) { warnings = append(warnings, w) }))
		require.NoError(t, err)
		defer func() { require.NoError(t, g.Close()) }()
		ended, err := exec.FromSlice(device, slices.Repeat([]int32{1, 0}, masks))
		require.NoError(t, err)
		defer func() { require.NoError(t, ended.Close()) }()
		for k := range masks {
			mask, err := ended.Slice(2*k, 2*k+2)
			require.NoError(t, err)
			_, err = g.Regenerate(ctx, mask)
			require.NoError(t, err)
			require.Len(t, warnings, min(1, k/exec.DefaultMaxKeyedGraphs), "after mask %d", k)
		}
		assert.IsType(t, exec.KeyedGraphLimitWarning{}, warnings[0])
		batch, err := g.Track().Batch(ctx)
		require.NoError(t, err)
		assert.Equal(t, []int32{masks, 0}, batch.Epoch)
		samePoints(t, last, 0, batch, 0)
		samePoints(t, first, 1, batch, 1)
	})
}

func TestMisbehavingStagesOnGPUs(t *testing.T) { onGPUs(t, misuse) }
