package gate_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/trackgen-go/trackgen/gate"
)

// Scaling changes the lengths of a batch, and nothing else.
func TestScale(t *testing.T) {
	config := configOf(gate.Polar, 1)
	config.Gate.Width = 0.25
	g, err := gate.NewGenerator(openCPU(t), config)
	require.NoError(t, err)
	defer func() { require.NoError(t, g.Close()) }()
	batch, err := g.Sequence().Batch(t.Context())
	require.NoError(t, err)
	before, left, forward, turn := batch.Position[2], batch.Left[2], batch.Forward[2], batch.Orientation[2]
	require.NoError(t, batch.Scale(10))
	assert.Equal(t, before.Scale(10), batch.Position[2])
	assert.Equal(t, left.Scale(10), batch.Left[2])
	assert.Equal(t, forward, batch.Forward[2], "a direction")
	assert.Equal(t, turn, batch.Orientation[2])
	assert.InDelta(t, 1.25, batch.HalfSize[2], 1e-6)
	for _, wrong := range []float64{0, -1} {
		assert.ErrorContains(t, batch.Scale(wrong), "gate: scale: by is")
	}
}
