package track_test

import (
	"context"
	"errors"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/trackgen-go/trackgen/backend"
	"github.com/trackgen-go/trackgen/exec"
	"github.com/trackgen-go/trackgen/track"
	"github.com/trackgen-go/trackgen/track/tracktest"
)

// Generators of one device are independent of each other, whatever runs concurrently.
func TestConcurrentGenerators(t *testing.T) {
	opened := open(t)
	config := tracktest.Config(track.Bezier, 12)
	var want [4][]uint64
	for i := range want {
		want[i] = digests(generate(t, opened, config, track.WithSeed(int32(100*i))))
	}
	var group sync.WaitGroup
	for i := range 12 {
		group.Go(func() {
			generator, err := track.NewGenerator(opened, config, track.WithSeed(int32(100*(i%4))))
			if !assert.NoError(t, err) {
				return
			}
			for range 5 {
				result, err := generator.Generate(context.Background())
				if !assert.NoError(t, err) {
					break
				}
				batch, err := result.Batch(context.Background())
				assert.NoError(t, err)
				assert.Equal(t, want[i%4], digests(batch))
			}
			assert.NoError(t, generator.Close())
		})
	}
	group.Wait()
}

// Two concurrent uses of one generator return an error (D8), and the generator makes correct tracks afterwards.
func TestConcurrentUseOfOneGenerator(t *testing.T) {
	opened := open(t)
	config := tracktest.Config(track.Bezier, 64)
	want := digests(generate(t, opened, config))
	generator, err := track.NewGenerator(opened, config)
	require.NoError(t, err)
	defer func() { require.NoError(t, generator.Close()) }()
	refused := make(chan bool, 4)
	seen := false
	for try := 0; try < 1000 && !seen; try++ {
		var group sync.WaitGroup
		for range 4 {
			group.Go(func() {
				_, err := generator.Generate(context.Background())
				if err != nil {
					assert.ErrorIs(t, err, exec.ErrConcurrentUse)
				}
				refused <- errors.Is(err, exec.ErrConcurrentUse)
			})
		}
		group.Wait()
		for range 4 {
			seen = <-refused || seen
		}
	}
	require.True(t, seen, "no two calls met in a thousand tries")
	batch, err := generator.Track().Batch(context.Background())
	require.NoError(t, err)
	assert.Equal(t, want, digests(batch))
}

// When many goroutines regenerate and close one generator concurrently, all calls but one are refused, and the
// generator stays intact.
func TestConcurrentRegenerateAndClose(t *testing.T) { // R79, D8
	ctx := context.Background()
	opened := open(t)
	generator, err := track.NewGenerator(opened, tracktest.Config(track.Bezier, 8))
	require.NoError(t, err)
	values := []int32{1, 0, 0, 0, 0, 0, 0, -1}
	var masks []exec.Array[int32]
	for range 80 { // more masks than a generator remembers
		masks = append(masks, maskOf(t, opened, values))
	}
	var group sync.WaitGroup
	for i := range 4 {
		group.Go(func() {
			for k := range masks {
				_, err := generator.Regenerate(ctx, masks[(k+i*20)%len(masks)])
				if err != nil && !errors.Is(err, exec.ErrConcurrentUse) {
					assert.ErrorIs(t, err, backend.ErrClosed)
				}
			}
		})
	}
	group.Go(func() {
		for err := generator.Close(); err != nil; err = generator.Close() {
			assert.ErrorIs(t, err, exec.ErrConcurrentUse)
		}
	})
	group.Wait()
	_, err = generator.Generate(ctx)
	require.ErrorIs(t, err, backend.ErrClosed)
}

// A call with a context that has ended emits nothing.
func TestEndedContext(t *testing.T) {
	opened := open(t)
	generator, err := track.NewGenerator(opened, tracktest.Config(track.Bezier, 2))
	require.NoError(t, err)
	defer func() { require.NoError(t, generator.Close()) }()
	before := digests(batch(t, generator))
	ended, stop := context.WithCancel(context.Background())
	stop()
	mask := maskOf(t, opened, []int32{1, 1})
	_, err = generator.Regenerate(ended, mask)
	require.ErrorIs(t, err, context.Canceled)
	_, err = generator.Generate(ended)
	require.ErrorIs(t, err, context.Canceled)
	require.ErrorIs(t, generator.SetEpoch(ended, 5), context.Canceled)
	require.ErrorIs(t, generator.SetSeeds(ended, []int32{1, 2}), context.Canceled)
	assert.Equal(t, before, digests(batch(t, generator)))
	for _, call := range []func() error{
		func() error { _, err := generator.Generate(nil); return err },         //nolint:staticcheck // the point of the test
		func() error { _, err := generator.Regenerate(nil, mask); return err }, //nolint:staticcheck // the point of the test
		func() error { return generator.SetEpoch(nil, 1) },                     //nolint:staticcheck // the point of the test
		func() error { return generator.SetSeeds(nil, []int32{1, 2}) },         //nolint:staticcheck // the point of the test
		func() error { _, err := generator.Track().Batch(nil); return err },    //nolint:staticcheck // the point of the test
		func() error { _, err := generator.Counters(nil); return err },         //nolint:staticcheck // the point of the test
	} {
		require.ErrorIs(t, call(), backend.ErrInvalid)
	}
}

// batch returns the current tracks of a generator.
func batch(t *testing.T, generator *track.Generator) *track.Batch {
	t.Helper()
	b, err := generator.Track().Batch(context.Background())
	require.NoError(t, err)
	return b
}

// Any array of the generator that a regeneration can read may be the mask. The values before the regeneration count.
func TestMaskOfTheGenerator(t *testing.T) {
	ctx := context.Background()
	opened := open(t)
	generator, err := track.NewGenerator(opened, tracktest.Config(track.Bezier, 5))
	require.NoError(t, err)
	defer func() { require.NoError(t, generator.Close()) }()
	require.NoError(t, generator.SetEpoch(ctx, 3))
	before := batch(t, generator)
	_, err = generator.Regenerate(ctx, generator.Seeds().Epoch())
	require.ErrorIs(t, err, backend.ErrInvalid, "a launch would read and write the epochs")
	assert.Equal(t, digests(before), digests(batch(t, generator)))
	_, err = generator.Regenerate(ctx, generator.Seeds().Epoch(), track.SameEpoch())
	require.NoError(t, err)
	assert.Equal(t, []int32{3, 3, 3, 3, 3}, batch(t, generator).Epoch)
	_, err = generator.Regenerate(ctx, generator.Track().Valid) // new tracks for the envs with valid ones
	require.NoError(t, err)
	for e, epoch := range batch(t, generator).Epoch {
		assert.Contains(t, []int32{3, 4}, epoch, "env %d", e)
	}
}
