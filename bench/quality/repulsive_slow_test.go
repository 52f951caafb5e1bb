//go:build slow

package quality

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/trackgen-go/trackgen/backend"
	"github.com/trackgen-go/trackgen/track"
)

// The repulsive generator against the published table. The reference makes its curves depend on the others of their batch
// (docs/design/repulsive.md), so that the numbers agree less closely than those of the other generators.
func TestPublishedRepulsive(t *testing.T) {
	device, err := backend.Open("cpu")
	require.NoError(t, err)
	defer func() { require.NoError(t, device.Close()) }()
	want, ok := PublishedRow(track.Repulsive)
	require.True(t, ok)
	generator, err := track.NewGenerator(device, track.Config{Generator: want.Generator, NumEnvs: want.Envs})
	require.NoError(t, err)
	defer func() { require.NoError(t, generator.Close()) }()
	batch, err := generator.Track().Batch(t.Context())
	require.NoError(t, err)
	got := Summarise(want.Generator, batch, nil)
	assert.InDelta(t, want.Yield, got.Yield, 6.0/512, "yield")
	assert.InEpsilon(t, want.Length, got.Length, 0.01, "length")
	assert.InEpsilon(t, want.Compactness, got.Compactness, 0.03, "compactness")
	assert.InEpsilon(t, want.CompactnessMedian, got.CompactnessMedian, 0.03, "compactness median")
	t.Logf("%+v", got)
}
