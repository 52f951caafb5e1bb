package exec_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/trackgen-go/trackgen/backend"
	"github.com/trackgen-go/trackgen/exec"
	"github.com/trackgen-go/trackgen/kernel"
)

// The words of an array are those of its elements, in both directions, and a slice keeps its place.
func TestReinterpret(t *testing.T) {
	device, err := backend.Open("cpu")
	require.NoError(t, err)
	defer func() { assert.NoError(t, device.Close()) }()
	vectors, err := exec.FromSlice(device, []kernel.Vec3{{X: 1, Y: 2, Z: 3}, {X: 4, Y: 5, Z: 6}, {X: 7, Y: 8, Z: 9}})
	require.NoError(t, err)
	defer vectors.Close()
	tail, err := vectors.Slice(1, 3)
	require.NoError(t, err)

	floats, err := exec.Reinterpret[float32](tail)
	require.NoError(t, err)
	values, err := floats.Read(context.Background())
	require.NoError(t, err)
	assert.Equal(t, []float32{4, 5, 6, 7, 8, 9}, values)
	assert.Equal(t, tail.Address(), floats.Address())

	back, err := exec.Reinterpret[kernel.Vec3](floats)
	require.NoError(t, err)
	assert.Equal(t, tail.Identity(), back.Identity())

	_, err = exec.Reinterpret[kernel.Quat](floats)
	assert.EqualError(t, err,
		"reinterpret: array is 24 bytes from byte 12 on: must be whole elements of kernel.Quat, of 16 bytes")
	zero, err := exec.Reinterpret[float32](exec.Array[kernel.Vec3]{})
	assert.NoError(t, err)
	assert.True(t, zero.IsZero())
}
