package column_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/trackgen-go/trackgen/column"
	"github.com/trackgen-go/trackgen/exec"
	"github.com/trackgen-go/trackgen/kernel"
)

// turns is a result with quaternions.
type turns[Q any] struct {
	Turn Q `column:"turn,gate,none,frame" doc:"orientation"`
}

// A column of quaternions has four components, and its numbers are checked one by one.
func TestQuaternions(t *testing.T) {
	schema := column.NewSchema[turns[[]kernel.Quat], turns[exec.Array[kernel.Quat]]]()
	require.NoError(t, schema.Err())
	assert.Equal(t, "[E, G_max, 4]", schema.Columns()[0].Shape())
	result := turns[[]kernel.Quat]{Turn: []kernel.Quat{{X: 1, Y: 2, Z: 3, W: 4}, {W: kernel.NaN()}, {Y: kernel.Inf()}}}
	host := schema.Host(&result)[0]
	assert.Equal(t, result.Turn, host.Quaternions())
	assert.Nil(t, host.Vectors())
	assert.Len(t, host.AppendWords(nil, 0, 3), 48)
	require.NoError(t, host.CheckNumber(0, true))
	require.NoError(t, host.CheckNumber(1, false), "padding")
	assert.EqualError(t, host.CheckNumber(1, true), "turn has the bits 0x7fc00000, which is NaN")
	assert.EqualError(t, host.CheckNumber(2, false), "turn has the bits 0x7f800000, which is +Inf")
}
