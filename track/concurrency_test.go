package track_test

import (
	"context"
	"errors"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/trackgen-go/trackgen/exec"
	"github.com/trackgen-go/trackgen/track"
)

// Generators of one device are independent of each other, whatever runs at the same time.
func TestConcurrentGenerators(t *testing.T) {
	opened := open(t)
	config := track.Config{NumEnvs: 12}
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

// One generator that is used twice at once says so (D8) and makes right tracks afterwards.
func TestConcurrentUseOfOneGenerator(t *testing.T) {
	opened := open(t)
	config := track.Config{NumEnvs: 64}
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
