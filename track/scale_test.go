package track_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/trackgen-go/trackgen/backend"
	"github.com/trackgen-go/trackgen/track"
)

// Scaling changes the lengths of a batch, and nothing else.
func TestScale(t *testing.T) {
	config := track.DefaultConfig()
	device, err := backend.Open("cpu")
	require.NoError(t, err)
	defer func() { require.NoError(t, device.Close()) }()
	g, err := track.NewGenerator(device, config)
	require.NoError(t, err)
	defer func() { require.NoError(t, g.Close()) }()
	batch, err := g.Track().Batch(t.Context())
	require.NoError(t, err)
	before, tangent, length := batch.Center[5], batch.Tangent[5], batch.Length[0]
	require.NoError(t, batch.Scale(10))
	assert.Equal(t, before.Scale(10), batch.Center[5])
	assert.Equal(t, tangent, batch.Tangent[5], "a direction")
	assert.Equal(t, 10*length, batch.Length[0])
	assert.InDelta(t, 1, batch.WidthLeft[0], 1e-5)
	for _, wrong := range []float64{0, -1} {
		assert.ErrorContains(t, batch.Scale(wrong), "track: scale: by is")
	}
}
