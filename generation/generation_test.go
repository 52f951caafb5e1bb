package generation_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/trackgen-go/trackgen/backend"
	"github.com/trackgen-go/trackgen/exec"
	"github.com/trackgen-go/trackgen/generation"
	"github.com/trackgen-go/trackgen/pipeline"
)

// The bounds of a draw are cumulative weights, and the last one is 1 whatever rounding does.
func TestThresholds(t *testing.T) {
	assert.Equal(t, []float32{0.25, 0.75, 1}, generation.Thresholds([]float64{1, 2, 1}))
	assert.Equal(t, []float32{1}, generation.Thresholds([]float64{0.1}))
	assert.Empty(t, generation.Thresholds(nil))
	thirds := generation.Thresholds([]float64{1, 1, 1})
	assert.Equal(t, []float32{5592405. / (1 << 24), 11184811. / (1 << 24), 1}, thirds)
}

// Options of the wrong length or with components that do not exist are refused.
func TestOptions(t *testing.T) {
	o, err := generation.Collect("test: ", "new generator", []generation.Option{generation.WithSeeds(nil),
		generation.WithEpoch(3), generation.WithComponents([]int32{0, 2, -1})})
	require.NoError(t, err)
	assert.Equal(t, int32(3), o.Epoch)
	assert.NotNil(t, o.Seeds.Values, "an empty list is refused later, and is not the default")
	assert.EqualError(t, o.CheckSeeds("test: new", 3), "test: new: seeds length is 0: must be 3")
	require.NoError(t, o.CheckComponents(3, 3))
	assert.EqualError(t, o.CheckComponents(3, 2), "check options: components[1] is 2: must be 0 to 1, or -1 to draw one")
	assert.EqualError(t, o.CheckComponents(4, 3), "check options: components length is 3: must be 4")
	assert.EqualError(t, o.CheckComponents(3, 0), "check options: components is 3 values: must be none: the batch is not "+
		"mixed")
	_, err = generation.Collect("test: ", "new generator", []generation.Option{nil})
	assert.EqualError(t, err, "test: new generator: option 0 is <nil>: must be an Option of package test")
}

// A generation that no constructor has made refuses every call, and can be closed.
func TestNotMade(t *testing.T) {
	none := generation.NotMade("test: ")
	for _, err := range []error{none.Generate(t.Context()), none.SetEpoch(t.Context(), 1),
		none.SetSeeds(t.Context(), nil), none.Regenerate(t.Context(), exec.Array[int32]{})} {
		assert.ErrorIs(t, err, backend.ErrInvalid)
		assert.ErrorContains(t, err, "test: ")
	}
	_, err := none.Counters(t.Context())
	assert.ErrorIs(t, err, backend.ErrInvalid)
	assert.NoError(t, none.Close())
}

// Stages that work on the host or launch on the current stream cannot be parts of other stages.
func TestNotNestable(t *testing.T) {
	empty := func(exec.Builder) (exec.Enqueue, error) { return func(*exec.LaunchContext) {}, nil }
	assert.Empty(t, generation.NotNestable(pipeline.StageFunc("static", exec.Static, empty)))
	assert.Equal(t, "works on the host", generation.NotNestable(pipeline.StageFunc("host", exec.Host, empty)))
	assert.Equal(t, "launches on the current stream", generation.NotNestable(pipeline.Legacy("old", nil)))
	assert.Empty(t, generation.NotNestable(nil), "the builder reports it")
}
