package pipeline_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/trackgen-go/trackgen/backend"
	"github.com/trackgen-go/trackgen/exec"
	"github.com/trackgen-go/trackgen/exec/exectest"
	"github.com/trackgen-go/trackgen/pipeline"
)

// twice is a stage with two parts. The first has its own seeds and shares its names. The second is apart, works only on
// the list, and writes into an array of the outer stage.
func twice(list []int32) exec.Stage {
	return pipeline.StageFunc("outer", exec.Static, func(b exec.Builder) (exec.Enqueue, error) {
		own, err := exec.PerEnv[int32](b, 1)
		if err != nil {
			return nil, err
		}
		some, err := exec.Scratch[int32](b, b.Envs()+1)
		if err != nil {
			return nil, err
		}
		if err := some.Write(context.Background(), list); err != nil {
			return nil, err
		}
		shared, err := pipeline.Nested(b, pipeline.NestedOptions{Seed: own})
		if err != nil {
			return nil, err
		}
		first, err := shared.Build(keyed("key"))
		if err != nil {
			return nil, err
		}
		out, err := pipeline.Output[int32](b, "out", 1)
		if err != nil {
			return nil, err
		}
		apart, err := pipeline.Nested(b, pipeline.NestedOptions{Apart: true})
		if err != nil {
			return nil, err
		}
		if err := pipeline.Provide(apart, "key.seed", out); err != nil {
			return nil, err
		}
		second, err := apart.Build(keyed("key"))
		return func(lc *exec.LaunchContext) {
			exec.Fill(lc, own, 50)
			first.Enqueue(lc)
			second.EnqueueEnvs(lc, some)
		}, err
	})
}

func TestNested(t *testing.T) {
	device := open(t)
	p, err := newBuilder(t, device, 4).Build(seedWith(7), twice([]int32{2, 0, 3, 0, 0}))
	require.NoError(t, err)
	lc, err := exec.For(context.Background(), device)
	require.NoError(t, err)
	list, err := exec.FromSlice(device, []int32{2, 1, 3, 0, 0})
	require.NoError(t, err)
	defer func() { require.NoError(t, list.Close()) }()

	p.EnqueueEnvs(lc, list)
	require.NoError(t, lc.Err())
	assert.Equal(t, []int32{0, 50, 0, 50}, read[int32](t, p, "key.seed"), "the active envs, with the part's own seeds")
	assert.Equal(t, []int32{7, 0, 0, 7}, read[int32](t, p, "out"), "the list of the stage")
	assert.Equal(t, []string{"key.counters", "key.effective", "key.epoch", "key.seed", "key.used", "out"}, p.Arrays())
	p.Enqueue(lc)
	require.NoError(t, lc.Err())
	assert.Equal(t, []int32{50, 50, 50, 50}, read[int32](t, p, "key.seed"))
	assert.Zero(t, testing.AllocsPerRun(10, func() { p.Enqueue(lc) }))
	assert.Equal(t, int64(4*(4+5+4+5+4*4+2+4+3*4+2)), p.Bytes(), "all memory is the program's")
}

// A stage with parts passes the checks of exec/exectest, which use another builder.
func TestNestedPassesTheChecks(t *testing.T) {
	exectest.CheckStage(t, twice([]int32{2, 0, 3, 0, 0}), exectest.Config{Devices: []backend.Device{open(t)}})
}

// legacyFill is a legacy producer that fills its output on the current stream.
func legacyFill(id string) exec.Stage {
	return pipeline.Legacy(id, func(b exec.Builder) (pipeline.LegacyGenerate, error) {
		out, err := pipeline.Output[int32](b, id, 1)
		return func(_ context.Context, device backend.Device) error {
			return device.CurrentStream().Fill(out.View(), 7)
		}, err
	})
}

// whole is a stage of the given class with one part, which may be apart.
func whole(class exec.CaptureClass, apart bool, part exec.Stage) exec.Stage {
	return pipeline.StageFunc("whole", class, func(b exec.Builder) (exec.Enqueue, error) {
		before, err := exec.PerEnv[int32](b, 1)
		if err != nil {
			return nil, err
		}
		n, err := pipeline.Nested(b, pipeline.NestedOptions{Apart: apart})
		if err != nil {
			return nil, err
		}
		p, err := n.Build(part)
		if err != nil {
			return nil, err
		}
		return func(lc *exec.LaunchContext) {
			exec.Fill(lc, before, 1)
			p.Enqueue(lc)
		}, nil
	})
}

// wrapped is a stage of another package, which hides its type.
type wrapped struct{ exec.Stage }

// A runner learns of a legacy producer at any depth, so that recording on another stream is refused before any work.
func TestLegacyPartIsKnown(t *testing.T) { // R53, R64 M3
	device := open(t)
	for name, stage := range map[string]exec.Stage{
		"itself":         legacyFill("old"),
		"a part":         whole(exec.Static, false, legacyFill("old")),
		"apart":          whole(exec.Static, true, legacyFill("old")),
		"a part of part": whole(exec.Static, true, whole(exec.Static, true, legacyFill("old"))),
		"wrapped":        wrapped{legacyFill("old")},
		"wrapped part":   wrapped{whole(exec.Static, true, wrapped{legacyFill("old")})},
		"built inside": pipeline.StageFunc("outer", exec.Static, func(b exec.Builder) (exec.Enqueue, error) {
			return legacyFill("old").Build(b)
		}),
	} {
		p, err := newBuilder(t, device, 2).Build(stage)
		require.NoError(t, err)
		options := p.RunnerOptions("known")
		assert.True(t, options.Legacy, name)
		if _, hidden := stage.(wrapped); !hidden {
			assert.Equal(t, options, pipeline.RunnerOptions("known", stage), name)
		}
		runner, err := exec.NewGraphRunner(device, options)
		require.NoError(t, err)
		defer func() { require.NoError(t, runner.Close()) }()
		_, err = runner.Run(t.Context(), p.Enqueue, exec.RunOptions{})
		require.NoError(t, err, name)

		stream, err := device.NewStream()
		require.NoError(t, err)
		defer func() { require.NoError(t, stream.Close()) }()
		require.NoError(t, stream.BeginCapture())
		_, err = runner.Run(t.Context(), p.Enqueue, exec.RunOptions{Stream: stream})
		var refused *exec.LegacyPluginStreamError
		require.ErrorAs(t, err, &refused, name)
		graph, err := stream.EndCapture()
		require.NoError(t, err)
		assert.Zero(t, graph.Nodes(), name)
		require.NoError(t, graph.Close())
	}
	p, err := newBuilder(t, device, 2).Build(whole(exec.Static, true, keyed("new")))
	require.NoError(t, err)
	assert.False(t, p.RunnerOptions("").Legacy)
}

// A part cannot do more than the class of its stage allows.
func TestClassOfParts(t *testing.T) { // R64 M4, R66, R157
	device := open(t)
	nothing := func(exec.Builder) (exec.Enqueue, error) { return func(*exec.LaunchContext) {}, nil }
	for outer := exec.Static; outer <= exec.Host; outer++ {
		for inner := exec.Static; inner <= exec.Host; inner++ {
			_, err := newBuilder(t, device, 2).Build(whole(outer, true, pipeline.StageFunc("part", inner, nothing)))
			if inner <= outer {
				require.NoError(t, err)
				continue
			}
			require.ErrorIs(t, err, backend.ErrInvalid)
			assert.ErrorContains(t, err, `build stage "part"`)
			assert.ErrorContains(t, err, `class of stage "whole"`)
		}
	}
}

func TestNestedRefuses(t *testing.T) {
	device, other := open(t), open(t)
	b := newBuilder(t, device, 4)
	_, err := pipeline.Nested(nil, pipeline.NestedOptions{})
	assert.ErrorIs(t, err, backend.ErrInvalid)
	for _, n := range []int{3, 4} {
		seed, err := exec.NewArray[int32](other, n)
		require.NoError(t, err)
		defer func() { require.NoError(t, seed.Close()) }()
		_, err = pipeline.Nested(b, pipeline.NestedOptions{Seed: seed})
		assert.Error(t, err)
	}
	parts, err := pipeline.Nested(b, pipeline.NestedOptions{})
	require.NoError(t, err)
	_, err = parts.Build(keyed("a"), keyed("a"))
	assert.ErrorIs(t, err, backend.ErrInvalid)
	_, err = parts.Build(keyed("a"))
	assert.ErrorIs(t, err, backend.ErrInvalid, "it has built")
}
