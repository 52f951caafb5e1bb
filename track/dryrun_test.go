package track

import (
	"context"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/trackgen-go/trackgen/backend"
	"github.com/trackgen-go/trackgen/exec"
	"github.com/trackgen-go/trackgen/kernel"
	"github.com/trackgen-go/trackgen/kernels/centerline"
	"github.com/trackgen-go/trackgen/pipeline"
	"github.com/trackgen-go/trackgen/pipeline/allocate"
)

// launchesOf counts the launches of each kernel in a graph, and the nodes of the graph.
func launchesOf(t *testing.T, device backend.Device, c Config) (launches map[string]int64, nodes int) {
	g, err := NewGenerator(device, c)
	require.NoError(t, err)
	defer func() { require.NoError(t, g.Close()) }()
	stream := device.DefaultStream()
	require.NoError(t, stream.BeginCapture())
	_, err = g.Generate(t.Context())
	require.NoError(t, err)
	graph, err := stream.EndCapture()
	require.NoError(t, err)
	defer func() { require.NoError(t, graph.Close()) }()
	launches = make(map[string]int64)
	var count func(operations []backend.Operation, times int64)
	count = func(operations []backend.Operation, times int64) {
		for _, o := range operations {
			switch o.Kind {
			case backend.OperationLaunch:
				launches[o.Kernel] += times
			case backend.OperationRepeat:
				count(o.Body, times*int64(o.Limit))
			default:
				count(o.Body, times)
			}
		}
	}
	count(graph.(backend.Inspector).Operations(), 1)
	return launches, graph.Nodes()
}

// A dry run counts the launches of the graph of a generation on a real device, with all conditionals taken and all
// loops run to their limits.
func TestDryRun(t *testing.T) {
	device := openCPU(t)
	for _, c := range []Config{
		configOf(Bezier, 7), configOf(Hull, 7), configOf(Polar, 7, func(c *Config) { c.Relax.Enabled = false }),
		configOf(Voronoi, 7, func(c *Config) { c.Output.MaxPoints = 500 }), configOf(Checkpoint, 7),
		configOf(Repulsive, 7, func(c *Config) { c.Output.LoopPoints = 64 }),
		configOf(Bezier, 7, func(c *Config) { c.Candidates = 3 }), mixture(7),
		configOf(Polar, 7, turning), configOf(Polar, 7, wide(0.1, 0.2), func(c *Config) { c.Candidates = 2 }),
	} {
		want, nodes := launchesOf(t, device, c)
		demand, err := DryRun(c)
		require.NoError(t, err)
		got, total := make(map[string]int64), int64(0)
		regenerates := false
		for _, k := range demand.Kernels {
			if k.Launches > 0 {
				got[k.Name] = k.Launches
			}
			total += k.Launches
			compacts := strings.HasSuffix(k.Name, "selection.compact") && k.Launches == 0 && k.Iterations > 0
			regenerates = regenerates || compacts
		}
		assert.Equal(t, want, got, "%+v", c)
		assert.Equal(t, total, demand.Launches())
		assert.Equal(t, nodes, demand.Nodes, "%+v", c)
		assert.Equal(t, 7, demand.Envs)
		assert.True(t, regenerates, "what only a regeneration launches is there too")
	}
	wrong := configOf(Bezier, 1, func(c *Config) { c.Output.MaxPoints = -1 })
	_, err := DryRun(wrong)
	assert.ErrorIs(t, err, ErrConfig)
	_, err = wrong.BytesPerEnv()
	assert.ErrorIs(t, err, ErrConfig)
	many, err := configOf(Bezier, maxEnvs).BytesPerEnv()
	require.NoError(t, err, "the number of envs does not matter")
	one, err := DefaultConfig().BytesPerEnv()
	require.NoError(t, err)
	assert.Equal(t, one, many)
}

// Stages that work on the host are built and do not run; legacy producers launch on the device that does nothing.
func TestDryRunOfHostStages(t *testing.T) {
	host := pipeline.StageFunc("loop", exec.Host, func(b exec.Builder) (exec.Enqueue, error) {
		a := allocate.New(b)
		allocate.Output[kernel.Vec2](a, LoopOutput, 128)
		return func(*exec.LaunchContext) { t.Error("a dry run works on the host") }, a.Err
	})
	register(t, "dry.host", Spec{Stage: func(Config) exec.Stage { return host }, Kernels: centerline.Defs})
	demand, err := DryRun(configOf("dry.host", 3, func(c *Config) { c.Output.LoopPoints = 128 }))
	require.NoError(t, err)
	bezier, err := DryRun(configOf(Bezier, 3, func(c *Config) { c.Output.LoopPoints = 128 }))
	require.NoError(t, err)
	others := bezier.Launches() - 1
	assert.EqualValues(t, others, demand.Launches(), "all launches except that of the loops")

	register(t, "dry.legacy", Spec{Stage: func(c Config) exec.Stage {
		return pipeline.Legacy("loop", func(b exec.Builder) (pipeline.LegacyGenerate, error) {
			loop, err := pipeline.Output[kernel.Vec2](b, LoopOutput, c.Output.LoopPoints)
			return func(_ context.Context, d backend.Device) error { return d.CurrentStream().Fill(loop.View(), 0) }, err
		})
	}})
	demand, err = DryRun(configOf("dry.legacy", 1))
	require.NoError(t, err)
	assert.EqualValues(t, others+1, demand.Nodes, "those of the launches and of the fill")
}

func BenchmarkDryRun(b *testing.B) {
	for _, generator := range Generators() {
		b.Run(generator, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, err := DryRun(configOf(generator, 1)); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
