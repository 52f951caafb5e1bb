package track_test

import (
	"context"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/trackgen-go/trackgen/backend"
	"github.com/trackgen-go/trackgen/exec"
	"github.com/trackgen-go/trackgen/seeds"
	"github.com/trackgen-go/trackgen/track"
	"github.com/trackgen-go/trackgen/track/tracktest"
)

// maskOf uploads a mask, which is closed at the end of the test.
func maskOf(t testing.TB, opened device, values []int32) exec.Array[int32] {
	t.Helper()
	mask, err := exec.FromSlice(opened, values)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, mask.Close()) })
	return mask
}

// Masked envs get the track of their seed and next epoch; no byte of the others changes (R109, R160).
func TestRegenerateByMask(t *testing.T) {
	ctx := context.Background()
	const envs = 23
	opened := open(t)
	mask := maskOf(t, opened, make([]int32, envs))
	for _, name := range track.Generators() {
		generator, err := track.NewGenerator(opened, tracktest.Small(tracktest.Config(name, envs)), track.WithSeed(40))
		require.NoError(t, err)
		epochs := make([]int32, envs)
		rapid.Check(t, func(t *rapid.T) {
			advance := rapid.Bool().Draw(t, "advance")
			values := rapid.SliceOfN(rapid.SampledFrom([]int32{0, 0, 0, 1, -7}), envs, envs).Draw(t, "mask")
			require.NoError(t, mask.Write(ctx, values))
			before, err := generator.Track().Batch(ctx)
			require.NoError(t, err)
			var options []track.RegenerateOption
			if !advance {
				options = append(options, track.SameEpoch())
			}
			result, err := generator.Regenerate(ctx, mask, options...)
			require.NoError(t, err)
			after, err := result.Batch(ctx)
			require.NoError(t, err)
			for e, bit := range values {
				if bit == 0 {
					require.Equal(t, digest(before, e), digest(after, e), "env %d is not masked", e)
					continue
				}
				if advance {
					epochs[e]++
				}
				require.Equal(t, epochs[e], after.Epoch[e])
			}
		})
		// At the end, the batch is the one that the same seeds and epochs give in one generation (R110).
		final, err := generator.Track().Batch(ctx)
		require.NoError(t, err)
		effective := make([]int32, envs)
		for e := range effective {
			effective[e] = seeds.EffectiveSeed(int32(40+e), epochs[e])
		}
		whole := generate(t, opened, tracktest.Small(tracktest.Config(name, envs)), track.WithSeeds(effective))
		assert.Equal(t, bits(whole.Center), bits(final.Center))
		assert.Equal(t, whole.Reason, final.Reason)
		require.NoError(t, generator.Close())
	}
}

// A recorded Regenerate reads the mask at each replay and is skipped on the device when the mask is empty.
func TestRegenerateInACapture(t *testing.T) {
	ctx := context.Background()
	const envs = 8
	opened := open(t)
	generator, err := track.NewGenerator(opened, tracktest.Config(track.Bezier, envs))
	require.NoError(t, err)
	defer func() { require.NoError(t, generator.Close()) }()
	mask := maskOf(t, opened, make([]int32, envs))
	stream := opened.DefaultStream()
	require.NoError(t, stream.BeginCapture())
	_, err = generator.Regenerate(ctx, mask)
	require.NoError(t, err)
	graph, err := stream.EndCapture()
	require.NoError(t, err)
	defer func() { require.NoError(t, graph.Close()) }()

	read := func() []uint64 {
		batch, err := generator.Track().Batch(ctx)
		require.NoError(t, err)
		return digests(batch)
	}
	start := read()
	require.NoError(t, stream.Replay(graph))
	assert.Equal(t, start, read(), "the mask is empty")
	require.NoError(t, mask.Write(ctx, []int32{0, 0, 1, 0, 0, 0, 0, 1}))
	require.NoError(t, stream.Replay(graph))
	once := read()
	for e := range envs {
		assert.Equal(t, e != 2 && e != 7, start[e] == once[e], "env %d", e)
	}
	require.NoError(t, stream.Replay(graph))
	assert.NotEqual(t, once, read(), "every replay advances again")
}

func TestRegenerateRefusesWrongMasks(t *testing.T) {
	ctx := context.Background()
	opened := open(t)
	generator, err := track.NewGenerator(opened, tracktest.Config(track.Bezier, 4))
	require.NoError(t, err)
	_, err = generator.Regenerate(ctx, maskOf(t, opened, make([]int32, 5)))
	assert.ErrorIs(t, err, backend.ErrInvalid)
	_, err = generator.Regenerate(ctx, maskOf(t, open(t), make([]int32, 4)))
	assert.ErrorIs(t, err, exec.ErrDeviceMismatch)
	require.NoError(t, generator.Close())
	_, err = generator.Regenerate(ctx, maskOf(t, opened, make([]int32, 4)))
	assert.ErrorIs(t, err, backend.ErrClosed)
}

func TestRegenerateAllocatesNothing(t *testing.T) {
	if raceEnabled {
		t.Skip("the race detector allocates")
	}
	opened := open(t)
	for _, config := range []track.Config{
		track.DefaultConfig(),
		tracktest.Config(track.Bezier, 1, func(c *track.Config) { c.Candidates, c.Relax.Sweeps = 3, 20 }),
	} {
		config.NumEnvs = 32
		generator, err := track.NewGenerator(opened, config)
		require.NoError(t, err)
		defer generator.Close()
		mask := maskOf(t, opened, append(make([]int32, 31), 1))
		allocations := testing.AllocsPerRun(10, func() {
			if _, err := generator.Regenerate(context.Background(), mask); err != nil {
				t.Fatal(err)
			}
		})
		assert.Zero(t, allocations, "%+v", config)
	}
}

// A mask in memory of another library gives the same tracks as a mask of this one (R168).
func TestRegenerateWithWrappedMask(t *testing.T) {
	const envs = 23
	ctx := t.Context()
	opened := open(t)
	theirs := make([]int32, envs)
	wrapped, err := exec.Wrap[int32](opened, uintptr(unsafe.Pointer(&theirs[0])), envs, theirs)
	require.NoError(t, err)
	defer func() { require.NoError(t, wrapped.Close()) }()
	own := maskOf(t, opened, theirs)
	var generators [2]*track.Generator
	for i := range generators {
		generators[i], err = track.NewGenerator(opened, tracktest.Small(tracktest.Config("bezier", envs)), track.WithSeed(7))
		require.NoError(t, err)
		defer func() { require.NoError(t, generators[i].Close()) }()
	}
	for round := range 3 {
		for e := range theirs {
			theirs[e] = int32((e + round) % 3)
		}
		require.NoError(t, own.Write(ctx, theirs))
		var batches [2]*track.Batch
		for i, mask := range []exec.Array[int32]{own, wrapped} {
			result, err := generators[i].Regenerate(ctx, mask)
			require.NoError(t, err)
			batches[i], err = result.Batch(ctx)
			require.NoError(t, err)
		}
		require.Equal(t, batches[0].Epoch, batches[1].Epoch)
		for e := range envs {
			require.Equal(t, digest(batches[0], e), digest(batches[1], e), "env %d", e)
		}
	}
}
