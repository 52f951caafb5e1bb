package roofline

import (
	"context"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/trackgen-go/trackgen/backend"
	_ "github.com/trackgen-go/trackgen/backend/cpu"
	"github.com/trackgen-go/trackgen/exec"
)

func TestMeasure(t *testing.T) {
	device, err := backend.Open("cpu")
	require.NoError(t, err)
	r, err := Measure(context.Background(), device)
	require.NoError(t, err)
	assert.Greater(t, r.BytesPerSecond, 1e6)
	assert.Greater(t, r.OperationsPerSecond, 1e6)

	cancelled, cancel := context.WithCancel(context.Background())
	cancel()
	_, err = Measure(cancelled, device)
	require.ErrorIs(t, err, context.Canceled)
	require.NoError(t, device.Close(), "nothing is left allocated")
}

// TestKernels checks that the timed work is actually done.
func TestKernels(t *testing.T) {
	device, err := backend.Open("cpu")
	require.NoError(t, err)
	defer func() { require.NoError(t, device.Close()) }()
	from, err := exec.FromSlice(device, []uint32{1, 2, 3, 4, 5, 6, 7, 8})
	require.NoError(t, err)
	defer from.Close()
	to, err := exec.NewArray[uint32](device, 8)
	require.NoError(t, err)
	defer to.Close()
	result, err := exec.NewArray[float32](device, 1)
	require.NoError(t, err)
	defer result.Close()
	lc, err := exec.For(context.Background(), device)
	require.NoError(t, err)
	CopyWords(lc, 2, from, to)
	MultiplyAdd(lc, 1, 2, 0.5, 1, result)
	require.NoError(t, lc.Err())
	copied, err := to.Read(t.Context())
	require.NoError(t, err)
	assert.Equal(t, []uint32{1, 2, 3, 4, 5, 6, 7, 8}, copied)
	sums, err := result.Read(t.Context())
	require.NoError(t, err)
	assert.Equal(t, []float32{12*1.5 + 66*0.25}, sums, "x/4 + 1.5 in each chain")
}

func TestSeconds(t *testing.T) {
	r := Roofline{BytesPerSecond: 100, OperationsPerSecond: 10}
	assert.InDelta(t, 2.0, r.Seconds(200, 1), 0)
	assert.InDelta(t, 3.0, r.Seconds(200, 30), 0)
}
