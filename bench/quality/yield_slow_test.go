//go:build slow

package quality

import (
	"context"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/trackgen-go/trackgen/backend"
	"github.com/trackgen-go/trackgen/track"
	"github.com/trackgen-go/trackgen/track/tracktest"
)

// TestPublishedYields compares the yields of 4096 envs with those published for TrackGen, which have three digits
// (docs/spec/pipeline.md, section 13). One env of 4096 is within the rounding of the published measurement.
func TestPublishedYields(t *testing.T) {
	device, err := backend.Open("cpu")
	require.NoError(t, err)
	defer device.Close()
	for name, want := range map[string]float64{
		track.Bezier: .998, track.Checkpoint: .995, track.Hull: .992, track.Polar: 1, track.Voronoi: 1,
	} {
		generator, err := track.NewGenerator(device, tracktest.Config(name, 4096))
		require.NoError(t, err)
		batch, err := generator.Track().Batch(context.Background())
		require.NoError(t, err)
		require.NoError(t, generator.Close())
		got := Summarise(name, batch, nil).Yield
		assert.InDelta(t, want, got, .0005+1.0/4096, name)
		t.Logf("%s: %.4f", name, got)
	}
}
