package allocate_test

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/trackgen-go/trackgen/backend"
	_ "github.com/trackgen-go/trackgen/backend/cpu"
	"github.com/trackgen-go/trackgen/pipeline"
	"github.com/trackgen-go/trackgen/pipeline/allocate"
)

// An allocator hands out arrays until the first error, keeps that error, and then gives zero arrays.
func TestFirstErrorIsKept(t *testing.T) {
	device, err := backend.Open("cpu")
	require.NoError(t, err)
	defer func() { require.NoError(t, device.Close()) }()
	b, err := pipeline.NewBuilder(device, 3)
	require.NoError(t, err)
	defer func() { require.NoError(t, b.Close()) }()

	a := allocate.New(b)
	values := allocate.Staged(a, []float32{1, 2})
	assert.Equal(t, 6, allocate.PerEnv[int32](a, 2).Len())
	assert.Equal(t, 12, allocate.Output[int32](a, "count", 4).Len())
	assert.Equal(t, 1, allocate.Part(a, values, 1, 2).Len())
	require.NoError(t, a.Err)
	read, err := values.Read(t.Context())
	require.NoError(t, err)
	assert.Equal(t, []float32{1, 2}, read)

	assert.True(t, allocate.Input[int32](a, "missing").IsZero())
	first := a.Err
	require.ErrorContains(t, first, "missing")
	assert.True(t, allocate.PerEnv[int32](a, 2).IsZero())
	allocate.Try(a, func() (int, error) { return 0, errors.New("later") })
	allocate.Write(a, values, []float32{3, 4})
	assert.Equal(t, first, a.Err)
	assert.Equal(t, []int32{1, 0}, []int32{allocate.Bit(true), allocate.Bit(false)})
}
