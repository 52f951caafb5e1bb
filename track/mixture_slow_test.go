//go:build slow && cgo && linux

package track

import (
	"context"
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/trackgen-go/trackgen/backend"
	"github.com/trackgen-go/trackgen/backend/cuda/emulator"
	"github.com/trackgen-go/trackgen/exec"
)

// everyWay returns components with every generator at unusual settings; some generators occur twice.
func everyWay() (mix []Component) {
	for k, loop := range []FirstLoop{
		loopOf(Bezier, func(l *FirstLoop) { l.Bezier.Edginess = 1 }),
		loopOf(Hull, func(l *FirstLoop) { l.Corners.MinCount, l.Corners.MaxCount = 3, 5 }),
		loopOf(Polar, func(l *FirstLoop) { l.Polar.Knots = 5 }),
		loopOf(Voronoi, func(l *FirstLoop) { l.Voronoi.Layout, l.Voronoi.Sites = "clustered", 40 }),
		loopOf(Checkpoint, func(l *FirstLoop) { l.Checkpoint.BestOf, l.Checkpoint.ClipCrossings = 1, true }),
		loopOf(Repulsive, func(l *FirstLoop) { l.Repulsive.Stages, l.Repulsive.SettleIterations = []int{16, 32}, 3 }),
		loopOf(Repulsive, func(l *FirstLoop) {
			l.Repulsive.Stages = []int{32}
			l.Repulsive.MinGrowth = 2
			l.Repulsive.MaxGrowth = 2.5
		}),
		loopOf(Polar, func(l *FirstLoop) { l.Polar.Knots, l.Scale = 17, 2 }),
		loopOf(Bezier, func(l *FirstLoop) { l.Bezier.StyleSampling, l.Bezier.ScaleRange = true, Range{Min: 0.5, Max: 2} }),
	} {
		mix = append(mix, Component{Weight: float64(k%3 + 1), FirstLoop: loop})
	}
	return mix
}

// The track of an env is that of a batch of its component alone on the CPU, for every component and however the device
// runs the generation: all envs and by mask, replayed by the generator and by the caller, unconditionally, and with
// components that the caller writes between replays, including numbers that name none.
func TestMixedBatchInEveryModeOnEveryDevice(t *testing.T) {
	ctx := context.Background()
	config := configOf(Mixed, 40, func(c *Config) {
		c.Output.LoopPoints = 32
		c.Output.MaxPoints = 128
		c.Candidates = 4
		c.Road.HalfWidth = 0.15
		c.Relax.Sweeps = 12
		c.Mix = everyWay()
	})
	components := int32(len(config.Mix))
	cpu := openCPU(t)
	pure := make(map[int32][]*Batch) // by epoch
	for _, epoch := range []int32{0, 1, math.MinInt32} {
		pure[epoch] = pureBatches(t, cpu, config, WithSeed(math.MinInt32), WithEpoch(epoch))
	}
	run := func(t *testing.T, device backend.Device) {
		given, values := make([]int32, config.NumEnvs), make([]int32, config.NumEnvs)
		for e := range given {
			given[e], values[e] = int32(e)%(components+1)-1, int32(e%3-1)*7
		}
		g, err := NewGenerator(device, config, WithSeed(math.MinInt32), WithComponents(given))
		require.NoError(t, err)
		defer func() { require.NoError(t, g.Close()) }()
		mask, err := exec.FromSlice(device, values)
		require.NoError(t, err)
		defer func() { require.NoError(t, mask.Close()) }()
		check := func(epoch func(e int) int32) {
			t.Helper()
			batch, err := g.Track().Batch(ctx)
			require.NoError(t, err)
			for e, k := range batch.Component {
				if given[e] >= 0 && given[e] < components {
					require.Equal(t, given[e], k, "env %d", e)
				}
				want := pure[epoch(e)][k]
				require.Equal(t, epoch(e), batch.Epoch[e], "env %d", e)
				require.Equal(t, want.Candidate[e], batch.Candidate[e], "env %d", e)
				samePoints(t, want, e, batch, e)
			}
		}
		all := func(epoch int32) func(int) int32 { return func(int) int32 { return epoch } }
		masked := func(e int) int32 { return min(1, max(values[e], -values[e])) }
		generate := func(ctx context.Context) {
			t.Helper()
			_, err := g.Generate(ctx)
			require.NoError(t, err)
			_, err = g.Regenerate(ctx, mask)
			require.NoError(t, err)
		}
		check(all(0))
		for range 2 {
			require.NoError(t, g.SetEpoch(ctx, 0))
			generate(ctx)
			check(masked)
		}
		for e := range given {
			given[e] = []int32{-5, math.MaxInt32, math.MinInt32, components, 3, 5, 6, 0}[e%8]
		}
		require.NoError(t, g.GivenComponents().Write(ctx, given))
		require.NoError(t, g.SetEpoch(ctx, math.MinInt32))
		_, err = g.Generate(ctx)
		require.NoError(t, err)
		check(all(math.MinInt32))

		stream, err := device.NewStream()
		require.NoError(t, err)
		defer func() { require.NoError(t, stream.Close()) }()
		lc, err := exec.For(ctx, device, exec.OnStream(stream))
		require.NoError(t, err)
		inside := exec.With(ctx, lc)
		for _, recorded := range []context.Context{inside, exec.Unconditional(inside, true)} {
			require.NoError(t, stream.BeginCapture())
			generate(recorded)
			graph, err := stream.EndCapture()
			require.NoError(t, err)
			defer func() { require.NoError(t, graph.Close()) }()
			replay := func() {
				require.NoError(t, g.SetEpoch(ctx, 0))
				require.NoError(t, stream.Replay(graph))
				require.NoError(t, stream.Sync())
			}
			replay()
			check(masked)
			for e := range given {
				given[e] = int32(e+4) % components
			}
			require.NoError(t, g.GivenComponents().Write(ctx, given))
			require.NoError(t, mask.Write(ctx, make([]int32, config.NumEnvs)))
			replay()
			check(all(0))
			require.NoError(t, mask.Write(ctx, values))
		}
	}
	t.Run("cpu", func(t *testing.T) { run(t, cpu) })
	onGPUsWith(t, func(t *testing.T, e *emulator.Emulator) {
		for _, area := range []string{"voronoi", "spline", "checkpoint", "repulsive"} {
			e.LoadKernels(t, "../kernels/"+area+"/kernel_generated.cu")
		}
	}, run)
}
