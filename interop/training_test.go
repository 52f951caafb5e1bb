//go:build cgo && linux

package interop_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/trackgen-go/trackgen/backend"
	"github.com/trackgen-go/trackgen/interop"
	"github.com/trackgen-go/trackgen/track"
	"github.com/trackgen-go/trackgen/track/tracktest"
)

// areas are the packages of kernels that a generator launches.
var areas = []string{"centerline", "inflation", "relaxation", "repulsive", "seeding", "selection"}

// trained are the batches of the training loop: one with a fixed launch list, and one whose loops end early inside
// rounds of candidates.
var trained = map[string]track.Config{
	"bezier": tracktest.Config(track.Bezier, 1), "polar": tracktest.Config(track.Polar, 1),
	"mixed": tracktest.Config(track.Mixed, 1, func(c *track.Config) {
		c.Output.LoopPoints = 32
		c.Candidates = 3
		c.Road.HalfWidth = 0.15
		c.Relax.Sweeps = 12
		c.Mix = []track.Component{
			{Weight: 1, FirstLoop: tracktest.Loop(track.Bezier)},
			{Weight: 1, FirstLoop: tracktest.Loop(track.Repulsive, func(l *track.FirstLoop) {
				l.Repulsive.Stages = []int{16, 32}
			})},
		}
	}),
}

// The training loop of another library records the regeneration of ended envs into its own capture and replays it at
// each step. The tracks have the same bits as in an eager run on the CPU, and a step in which no env ended changes
// nothing.
func TestTrainingLoopInForeignCapture(t *testing.T) { // R109, R118a, R118g, R118i, R160, R24, D2
	const envs, steps = 6, 12
	for name, config := range trained {
		for _, conditional := range []bool{true, false} {
			t.Run(fmt.Sprintf("%s, conditional %v", name, conditional), func(t *testing.T) {
				user, device := openCUDA(t, 12040)
				for _, area := range areas {
					user.e.LoadKernels(t, "../kernels/"+area+"/kernel_generated.cu")
				}
				config.NumEnvs = envs
				recorded, err := track.NewGenerator(device, config)
				require.NoError(t, err)
				defer func() { require.NoError(t, recorded.Close()) }()
				cpu, err := backend.Open("cpu", backend.Workers(1))
				require.NoError(t, err)
				t.Cleanup(func() { require.NoError(t, cpu.Close()) })
				eager, err := track.NewGenerator(cpu, config)
				require.NoError(t, err)
				defer func() { require.NoError(t, eager.Close()) }()
				ended, endedOnCPU := newArray(t, device, make([]int32, envs)...), newArray(t, cpu, make([]int32, envs)...)
				main, graph := user.stream(), new(interop.Graph)
				user.must("cuStreamBeginCapture", main, 0)
				ctx, registration, err := interop.Register(t.Context(), device, uintptr(main),
					interop.Options{Graph: graph, Conditional: conditional})
				require.NoError(t, err)
				_, err = recorded.Regenerate(ctx, ended)
				require.NoError(t, err)
				registration.End()
				captured, executable := user.end(main)
				assert.Equal(t, 1, graph.Retained(), "the graph keeps the generator")

				batch := func(g *track.Generator) *track.Batch {
					b, err := g.Track().Batch(t.Context())
					require.NoError(t, err)
					return b
				}
				before := batch(recorded)
				for step := range steps {
					mask := make([]int32, envs)
					if step%3 != 0 { // every third step no env has ended
						mask[step%envs], mask[(step*step+1)%envs] = 1, 1
					}
					require.NoError(t, ended.Write(ctx, mask))
					require.NoError(t, endedOnCPU.Write(ctx, mask))
					user.replay(executable, main)
					_, err := eager.Regenerate(t.Context(), endedOnCPU)
					require.NoError(t, err)
					got := batch(recorded)
					require.Equal(t, fmt.Sprintf("%#v", batch(eager)), fmt.Sprintf("%#v", got), "step %d", step)
					if step%3 == 0 {
						require.Equal(t, fmt.Sprintf("%#v", before), fmt.Sprintf("%#v", got), "step %d", step)
					}
					before = got
				}
				user.destroy(captured, executable)
				require.NoError(t, graph.Close())
			})
		}
	}
}
