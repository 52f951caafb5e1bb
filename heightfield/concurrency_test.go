package heightfield_test

import (
	"context"
	"errors"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/trackgen-go/trackgen/exec"
	"github.com/trackgen-go/trackgen/heightfield"
	"github.com/trackgen-go/trackgen/track"
)

// Different bakers are independent. Calls of one baker at the same time are refused, and corrupt nothing.
func TestBakersAtOnce(t *testing.T) {
	ctx, device, c := context.Background(), openCPU(t), configOf(16, heightfield.Smooth)
	g, err := track.NewGenerator(device, hilly(3))
	require.NoError(t, err)
	defer func() { require.NoError(t, g.Close()) }()
	want := bitsOf(bake(t, device, tracksOf(t, device, hilly(3)), c))
	shared, err := heightfield.NewBaker(device, heightfield.SourceOf(g.Track()), c)
	require.NoError(t, err)
	defer func() { require.NoError(t, shared.Close()) }()
	var all sync.WaitGroup
	for range 3 {
		all.Go(func() {
			baker, err := heightfield.NewBaker(device, heightfield.SourceOf(g.Track()), c)
			if !assert.NoError(t, err) {
				return
			}
			_, err = baker.Bake(ctx)
			assert.NoError(t, err)
			grid, err := baker.Heights().Grid(ctx)
			if assert.NoError(t, err) {
				assert.Equal(t, want, bitsOf(grid))
			}
			assert.NoError(t, baker.Close())
			for range 5 {
				_, err = shared.BakeMasked(ctx, g.Track().Valid)
				assert.True(t, err == nil || errors.Is(err, exec.ErrConcurrentUse), "%v", err)
			}
		})
	}
	all.Wait()
}
