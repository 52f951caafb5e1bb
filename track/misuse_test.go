package track

import (
	"context"
	"errors"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/trackgen-go/trackgen/backend"
	"github.com/trackgen-go/trackgen/exec"
	"github.com/trackgen-go/trackgen/pipeline"
)

// misbehaving lists what a stage of a user may do wrong while it emits work. None of it may break the generator.
var misbehaving = map[string]func(t *testing.T, g *Generator, lc *exec.LaunchContext){
	"allocates": func(t *testing.T, g *Generator, lc *exec.LaunchContext) {
		if a, err := exec.NewArray[int32](lc.Device(), 10); err == nil {
			exec.Fill(lc, a, 1)
			require.NoError(t, a.Close())
		}
	},
	"waits": func(_ *testing.T, _ *Generator, lc *exec.LaunchContext) { lc.Fail(lc.Stream().Sync()) },
	"reads back": func(_ *testing.T, g *Generator, lc *exec.LaunchContext) {
		_, err := g.track.Count.Read(context.Background())
		lc.Fail(err)
	},
	"panics":           func(*testing.T, *Generator, *exec.LaunchContext) { panic("out") },
	"fails":            func(_ *testing.T, _ *Generator, lc *exec.LaunchContext) { lc.Fail(errors.New("broken")) },
	"begins a capture": func(_ *testing.T, _ *Generator, lc *exec.LaunchContext) { lc.Fail(lc.Stream().BeginCapture()) },
	"ends the capture": func(_ *testing.T, _ *Generator, lc *exec.LaunchContext) {
		graph, err := lc.Stream().EndCapture()
		if err == nil {
			err = errors.Join(errors.New("the capture has ended"), graph.Close())
		}
		lc.Fail(err)
	},
	"generates": func(t *testing.T, g *Generator, lc *exec.LaunchContext) {
		_, err := g.Generate(exec.With(context.Background(), lc))
		assert.ErrorIs(t, err, exec.ErrConcurrentUse)
	},
	"regenerates": func(t *testing.T, g *Generator, lc *exec.LaunchContext) {
		_, err := g.Regenerate(exec.With(context.Background(), lc), g.track.Valid)
		assert.ErrorIs(t, err, exec.ErrConcurrentUse)
	},
	"closes the generator": func(t *testing.T, g *Generator, _ *exec.LaunchContext) {
		assert.ErrorIs(t, g.Close(), exec.ErrConcurrentUse)
	},
	"works on another stream": func(t *testing.T, g *Generator, lc *exec.LaunchContext) {
		other, err := exec.For(context.Background(), lc.Device(), exec.OnStream(lc.Device().DefaultStream()))
		require.NoError(t, err)
		exec.Fill(other, outputOf[int32](g, truncatedOutput), 0)
		lc.Fail(other.Err())
	},
}

// callBack names the entries that call the generator. A caller of Enqueue may do that, so they do not run with Enqueue.
var callBack = []string{"generates", "regenerates", "closes the generator"}

// misuse runs every kind of misbehaviour on a device: in eager calls, in captures and by mask.
func misuse(t *testing.T, device backend.Device) {
	ctx := context.Background()
	config := configOf(Bezier, 3)
	want := bitsOf(t, batchOf(t, device, config))
	stream, err := device.NewStream()
	require.NoError(t, err)
	defer func() { require.NoError(t, stream.Close()) }()
	mask, err := exec.FromSlice(device, []int32{1, 0, 1})
	require.NoError(t, err)
	defer func() { require.NoError(t, mask.Close()) }()
	for name, behave := range misbehaving {
		t.Run(name, func(t *testing.T) {
			var g *Generator
			wrong := false
			stage := pipeline.StageFunc("user", exec.Static, func(exec.Builder) (exec.Enqueue, error) {
				return func(lc *exec.LaunchContext) {
					if wrong {
						behave(t, g, lc)
					}
				}, nil
			})
			g, err := NewGenerator(device, config, WithStages(stage), WithStream(stream))
			require.NoError(t, err)
			defer func() { require.NoError(t, g.Close()) }()
			call := func(what string, run func() error) {
				wrong = true
				func() {
					defer func() { _ = recover() }()
					if err := run(); err != nil {
						t.Logf("%s: %v", what, err)
					}
				}()
				wrong = false
			}
			generate := func() error { _, err := g.Generate(ctx); return err }
			regenerate := func() error { _, err := g.Regenerate(ctx, mask, SameEpoch()); return err }
			eager := func() error {
				lc, err := g.Seeds().Context(ctx, nil)
				require.NoError(t, err)
				g.Enqueue(lc)
				return lc.Err()
			}
			for what, run := range map[string]func() error{"generate": generate, "regenerate": regenerate, "enqueue": eager} {
				if what == "enqueue" && slices.Contains(callBack, name) {
					continue
				}
				call(what, run)
				if stream.Capture() != backend.CaptureNone { // the stage began a capture
					graph, err := stream.EndCapture()
					require.NoError(t, err)
					require.NoError(t, graph.Close())
				}
				require.NoError(t, stream.BeginCapture())
				call(what+" in a capture", run)
				if stream.Capture() != backend.CaptureNone {
					if graph, err := stream.EndCapture(); err == nil {
						require.NoError(t, graph.Close())
					}
				}
			}
			if err := generate(); errors.Is(err, backend.ErrClosed) && name == "allocates" {
				return // the stage closed memory that the graph of the generator uses, so the device refuses it
			}
			require.NoError(t, generate())
			require.NoError(t, regenerate())
			batch, err := g.Track().Batch(ctx)
			require.NoError(t, err)
			assert.Equal(t, want, bitsOf(t, batch), "the generator afterwards")
		})
	}
}

func TestMisbehavingStages(t *testing.T) { misuse(t, openCPU(t)) }

// A stage that panics while it is built, or in the first generation, leaves nothing open; otherwise closing the device
// would report it.
func TestPanicsWhileConstructing(t *testing.T) {
	device := openCPU(t)
	for _, inBuild := range []bool{true, false} {
		for _, candidates := range []int{1, 2} {
			stage := pipeline.StageFunc("user", exec.Static, func(b exec.Builder) (exec.Enqueue, error) {
				_, err := exec.PerEnv[int32](b, 1)
				if inBuild {
					panic("out of Build")
				}
				return func(*exec.LaunchContext) { panic("out of a generation") }, err
			})
			assert.Panics(t, func() {
				_, _ = NewGenerator(device, configOf(Bezier, 3, func(c *Config) {
					c.Candidates = candidates
				}), WithStages(stage))
			})
		}
	}
}
