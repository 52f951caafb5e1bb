package track

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestSchemaIsWellFormed(t *testing.T) {
	require.NoError(t, Schema.Err())
}

// Roads of one width have it at each point, and nothing in the padding.
func TestGeneratedWidths(t *testing.T) {
	config := Config{Generator: Polar, NumEnvs: 3, HalfWidth: 0.08}
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
	assert.Len(t, NewBatch(2, 3).Center, 6)
}
