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

// twice is a stage with two parts. The first draws from seeds of its own and shares its names; the second is apart, works on
// the list only, and writes into an array of the outer stage.
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
		if err := some.Write(list); err != nil {
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
	assert.Equal(t, []int32{0, 50, 0, 50}, read[int32](t, p, "key.seed"), "the active envs, with seeds of their own")
	assert.Equal(t, []int32{7, 0, 0, 7}, read[int32](t, p, "out"), "the list of the stage")
	assert.Equal(t, []string{"key.counters", "key.effective", "key.epoch", "key.seed", "key.used", "out"}, p.Arrays())
	p.Enqueue(lc)
	require.NoError(t, lc.Err())
	assert.Equal(t, []int32{50, 50, 50, 50}, read[int32](t, p, "key.seed"))
	assert.Zero(t, testing.AllocsPerRun(10, func() { p.Enqueue(lc) }))
	assert.Equal(t, int64(4*(4+5+4+5+4*4+2+4+3*4+2)), p.Bytes(), "all memory is the program's")
}

// A stage with parts is a stage: the conformance kit checks it with a builder of its own.
func TestNestedPassesTheChecks(t *testing.T) {
	exectest.CheckStage(t, twice([]int32{2, 0, 3, 0, 0}), exectest.Config{Devices: []backend.Device{open(t)}})
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
