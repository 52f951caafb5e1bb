package track_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/trackgen-go/trackgen/exec"
	"github.com/trackgen-go/trackgen/pipeline"
	"github.com/trackgen-go/trackgen/track"
	"github.com/trackgen-go/trackgen/track/tracktest"
)

// numbers reads an output of a generation by name.
func numbers(t *testing.T, g *track.Generator, name string) []int32 {
	t.Helper()
	array, err := pipeline.ArrayOf[int32](g.Program(), name)
	require.NoError(t, err)
	values, err := array.Read(t.Context())
	require.NoError(t, err)
	return values
}

// R163: the repulsive generator is a bounded stage. When all curves have stopped, it stops before its bound, both where
// the host can check and where the device can. It can be recorded. The number of windows that run changes no bit.
func TestRepulsiveIsBounded(t *testing.T) {
	ctx := t.Context()
	config := tracktest.Small(tracktest.Config(track.Repulsive, 6))
	config.Repulsive.StallAreaTolerance = 0.5
	stages, err := track.Stages(config)
	require.NoError(t, err)
	assert.Equal(t, exec.Bounded, stages[0].Class())

	device := open(t)
	g, err := track.NewGenerator(device, config, track.WithSeed(3))
	require.NoError(t, err)
	defer func() { require.NoError(t, g.Close()) }()
	const bound = 6 // iterations 0 to 11, 12 to 15, ..., 28
	assert.Equal(t, []int32{bound}, numbers(t, g, track.WindowsOutput), "the first generation runs all windows (R42)")
	first, err := g.Track().Batch(ctx)
	require.NoError(t, err)
	iterations := numbers(t, g, track.IterationsOutput)

	_, err = g.Generate(ctx)
	require.NoError(t, err)
	eager := numbers(t, g, track.WindowsOutput)
	assert.Less(t, eager[0], int32(bound), "eager: the host looks")
	longest := int32(0)
	for _, n := range iterations {
		longest = max(longest, n)
	}
	assert.Equal(t, (longest-12)/4+1, eager[0], "all windows until the last curve stops: %v", iterations)

	// A mask in a capture of the caller.
	mask := maskOf(t, device, []int32{0, 1, 0, 0, 1, 0})
	stream := device.DefaultStream()
	require.NoError(t, stream.BeginCapture())
	_, err = g.Regenerate(ctx, mask, track.SameEpoch())
	require.NoError(t, err)
	graph, err := stream.EndCapture()
	require.NoError(t, err)
	defer func() { require.NoError(t, graph.Close()) }()
	require.NoError(t, stream.Replay(graph))
	assert.Less(t, numbers(t, g, track.WindowsOutput)[0], int32(bound), "replayed: the device looks")
	again, err := g.Track().Batch(ctx)
	require.NoError(t, err)
	assert.Equal(t, digests(first), digests(again))
	assert.Equal(t, iterations, numbers(t, g, track.IterationsOutput))
}

// A curve does not depend on the other curves of its batch, nor on how many iterations they need.
func TestRepulsiveCurvesStopAlone(t *testing.T) {
	config := tracktest.Config(track.Repulsive, 4)
	batch := generate(t, open(t), config, track.WithSeed(20))
	config.NumEnvs = 1
	for e := range batch.Envs {
		alone := generate(t, open(t), config, track.WithSeed(int32(20+e)))
		assert.Equal(t, digest(batch, e), digest(alone, 0), "env %d", e)
	}
}

func TestRepulsiveScales(t *testing.T) {
	small := tracktest.Small(tracktest.Config(track.Repulsive, 3, func(c *track.Config) { c.Relax.Enabled = false }))
	large := small
	large.Scale, large.Road.HalfWidth = 1024, 102.4
	g, err := track.NewGenerator(open(t), small)
	require.NoError(t, err)
	defer g.Close()
	h, err := track.NewGenerator(open(t), large)
	require.NoError(t, err)
	defer h.Close()
	assert.Equal(t, numbers(t, g, track.IterationsOutput), numbers(t, h, track.IterationsOutput))
	a, err := g.Track().Batch(t.Context())
	require.NoError(t, err)
	b, err := h.Track().Batch(t.Context())
	require.NoError(t, err)
	for e := range a.Envs {
		assert.InEpsilon(t, 1024*a.Length[e], b.Length[e], 1e-5)
	}
}
