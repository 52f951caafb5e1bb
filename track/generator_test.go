package track_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/trackgen-go/trackgen/backend"
	"github.com/trackgen-go/trackgen/exec"
	"github.com/trackgen-go/trackgen/track"
	"github.com/trackgen-go/trackgen/track/tracktest"
)

func TestSameTrackEveryTime(t *testing.T) {
	generator, err := track.NewGenerator(open(t), tracktest.Config(track.Bezier, 2))
	require.NoError(t, err)
	defer func() { require.NoError(t, generator.Close()) }()
	first, err := generator.Generate(context.Background())
	require.NoError(t, err)
	second, err := generator.Generate(context.Background())
	require.NoError(t, err)
	assert.Same(t, first, second)
	assert.Same(t, first, generator.Track())
}

func TestCloneStays(t *testing.T) {
	ctx := context.Background()
	generator, err := track.NewGenerator(open(t), tracktest.Config(track.Bezier, 3), track.WithSeed(50))
	require.NoError(t, err)
	clone, err := generator.Track().Clone(ctx)
	require.NoError(t, err)
	before, err := clone.Batch(ctx)
	require.NoError(t, err)
	require.NoError(t, generator.SetSeeds(ctx, []int32{1, 2, 3}))
	result, err := generator.Generate(ctx)
	require.NoError(t, err)
	other, err := result.Batch(ctx)
	require.NoError(t, err)
	require.NoError(t, generator.Close())
	after, err := clone.Batch(ctx)
	require.NoError(t, err)
	assert.Equal(t, digests(before), digests(after))
	assert.NotEqual(t, digests(before), digests(other))
	assert.Equal(t, []int32{50, 51, 52}, after.Seed)
	require.NoError(t, clone.Close())
	require.NoError(t, clone.Close(), "twice")
}

func TestCountersTellWhatDidNotFit(t *testing.T) {
	ctx := context.Background()
	generator, err := track.NewGenerator(open(t), tracktest.Config(track.Bezier, 64, func(c *track.Config) {
		c.Output.MaxPoints, c.Relax.SeparationCacheSlots = 70, 2
	}))
	require.NoError(t, err)
	defer generator.Close()
	counters, err := generator.Counters(ctx)
	require.NoError(t, err)
	batch, err := generator.Track().Batch(ctx)
	require.NoError(t, err)
	truncated := 0
	for e := range batch.Envs {
		if batch.Reason[e]&track.ReasonTruncated != 0 {
			truncated++
			assert.Equal(t, int32(70), batch.Count[e])
		}
	}
	assert.Positive(t, truncated)
	assert.Less(t, truncated, 64)
	assert.Equal(t, truncated, counters.Truncated)
	assert.Positive(t, counters.Dropped)

	_, err = generator.Generate(ctx)
	require.NoError(t, err)
	again, err := generator.Counters(ctx)
	require.NoError(t, err)
	assert.Equal(t, counters, again, "they are of the last generation alone")
}

func TestMisuse(t *testing.T) {
	ctx := context.Background()
	opened := open(t)
	_, err := track.NewGenerator(nil, track.DefaultConfig())
	assert.Error(t, err, "no device")
	_, err = track.NewGenerator(opened, tracktest.Config(track.Bezier, 4), track.WithSeeds([]int32{1, 2}))
	assert.ErrorContains(t, err, "seeds length is 2: must be 4")
	_, err = track.NewGenerator(opened, track.DefaultConfig(), nil)
	assert.ErrorIs(t, err, backend.ErrInvalid)
	_, err = track.NewGenerator(open(t, backend.MemoryLimit(1<<20)), tracktest.Config(track.Bezier, 1<<10))
	assert.ErrorIs(t, err, backend.ErrOutOfMemory)

	stream := opened.DefaultStream()
	require.NoError(t, stream.BeginCapture())
	_, err = track.NewGenerator(opened, track.DefaultConfig())
	assert.ErrorIs(t, err, exec.ErrCapture)
	graph, err := stream.EndCapture()
	require.NoError(t, err)
	require.NoError(t, graph.Close())

	generator, err := track.NewGenerator(opened, tracktest.Config(track.Bezier, 2))
	require.NoError(t, err)
	assert.ErrorContains(t, generator.SetSeeds(ctx, []int32{1}), "values length is 1")
	assert.ErrorContains(t, generator.SetSeeds(ctx, []int32{1, 2, 3, 4}), "values length is 4")
	require.NoError(t, generator.Close())
	require.NoError(t, generator.Close(), "twice")
	_, err = generator.Generate(ctx)
	assert.ErrorIs(t, err, backend.ErrClosed)
	assert.ErrorIs(t, generator.SetEpoch(ctx, 1), backend.ErrClosed)
	_, err = generator.Counters(ctx)
	assert.ErrorIs(t, err, backend.ErrClosed)
	_, err = generator.Track().Batch(ctx)
	assert.Error(t, err)
	_, err = generator.Track().Clone(ctx)
	assert.Error(t, err)
}

// Inside a capture, calls that wait for their own work are refused, and record nothing.
func TestCapturesStayClean(t *testing.T) {
	ctx := context.Background()
	opened := open(t)
	config := tracktest.Config(track.Bezier, 2)
	generator, err := track.NewGenerator(opened, config)
	require.NoError(t, err)
	defer func() { require.NoError(t, generator.Close()) }()
	stream := opened.DefaultStream()
	require.NoError(t, stream.BeginCapture())
	_, err = generator.Generate(ctx)
	require.NoError(t, err)
	assert.ErrorIs(t, generator.SetEpoch(ctx, 7), exec.ErrCapture)
	assert.ErrorIs(t, generator.SetSeeds(ctx, []int32{5, 6}), exec.ErrCapture)
	_, err = generator.Counters(ctx)
	assert.ErrorIs(t, err, exec.ErrCapture)
	_, err = generator.Track().Clone(ctx)
	assert.ErrorIs(t, err, exec.ErrCapture)
	_, err = generator.Track().Batch(ctx)
	assert.ErrorIs(t, err, exec.ErrCapture)
	graph, err := stream.EndCapture()
	require.NoError(t, err)
	demand, err := track.DryRun(config)
	require.NoError(t, err)
	assert.Equal(t, demand.Nodes, graph.Nodes(), "the generation alone")
	require.NoError(t, stream.Replay(graph))
	batch, err := generator.Track().Batch(ctx)
	require.NoError(t, err)
	assert.Equal(t, []int32{0, 0}, batch.Epoch)
	require.NoError(t, graph.Close())
}

func TestReasonText(t *testing.T) {
	assert.Equal(t, "valid", track.Reason(0).String())
	assert.Equal(t, "turning, separation", (track.ReasonTurning | track.ReasonSeparation).String())
	assert.Empty(t, track.Reason(0).Names())
}

// Style sampling draws within the given ranges, and uses the scalar where there is no range.
func TestStyleSampling(t *testing.T) {
	opened := open(t)
	plain := generate(t, opened, tracktest.Config(track.Bezier, 16))
	fixed := generate(t, opened, tracktest.Config(track.Bezier, 16, func(c *track.Config) {
		c.Bezier.StyleSampling = true
		c.Bezier.HandleLengthRange = track.Range{Min: 0.4, Max: 0.4}
	}))
	assert.Equal(t, digests(plain), digests(fixed), "a range of one value is that value")
	larger := generate(t, opened, tracktest.Config(track.Bezier, 16, func(c *track.Config) {
		c.Bezier.StyleSampling = true
		c.Bezier.ScaleRange = track.Range{Min: 2, Max: 3}
	}))
	for e := range plain.Envs {
		ratio := larger.Length[e] / plain.Length[e]
		assert.True(t, ratio > 1.7 && ratio < 3.6, "env %d grew by %v", e, ratio)
	}
}
