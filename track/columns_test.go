package track

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestSchemaIsWellFormed(t *testing.T) {
	require.NoError(t, Schema.Err())
}

// Roads of constant width have that width at each point, and NaN in the padding.
func TestGeneratedWidths(t *testing.T) {
	config := configOf(Polar, 3, func(c *Config) { c.Road.HalfWidth = 0.08 })
	b := batchOf(t, openCPU(t), config)
	for e := range b.Envs {
		for i := range b.NMax {
			at := e*b.NMax + i
			if i >= int(b.Count[e]) {
				require.True(t, b.WidthRight[at] != b.WidthRight[at] && b.WidthLeft[at] != b.WidthLeft[at], "padding")
				continue
			}
			require.Equal(t, []float32{0.08, 0.08}, []float32{b.WidthRight[at], b.WidthLeft[at]})
			require.InDelta(t, 0.16, b.Outer[at].Sub(b.Inner[at]).Len(), 1e-6)
		}
	}
	assert.Nil(t, b.Crossings, "which nobody counts")
}

// The height columns match the z of the lines, including the padding, for generated tracks and for circuits.
func TestHeights(t *testing.T) {
	device := openCPU(t)
	circuit, err := Import(t.Context(), device, ImportOptions{HalfWidth: 2, Height: -3, MaxPoints: 100},
		Circuit{X: []float64{0, 50, 50, 0}, Y: []float64{0, 0, 50, 50}})
	require.NoError(t, err)
	defer func() { require.NoError(t, circuit.Close()) }()
	measured, err := circuit.Batch(t.Context())
	require.NoError(t, err)
	generated := batchOf(t, device, configOf(Polar, 3, func(c *Config) { c.Road.Height = 1.5 }))
	for want, b := range map[float32]*Batch{1.5: generated, -3: measured} {
		require.Len(t, b.Height, b.Envs*b.NMax)
		for i, z := range b.Height {
			require.Equal(t, []float32{want, want, want, want}, []float32{z, b.Outer[i].Z, b.Center[i].Z, b.Inner[i].Z})
		}
	}
}

func TestNewBatch(t *testing.T) {
	assert.Nil(t, NewBatch(2, 3).Height, "unknown")
	assert.Len(t, NewBatch(2, 3).Center, 6)
}
