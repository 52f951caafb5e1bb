package exec_test

import (
	"errors"
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/trackgen-go/trackgen/backend"
	"github.com/trackgen-go/trackgen/exec"
	"github.com/trackgen-go/trackgen/kernel"
)

func TestArrayRoundTrip(t *testing.T) {
	device := openCPU(t)
	via := newHostArray[uint32](t, device, 40)
	rapid.Check(t, func(t *rapid.T) {
		bits := rapid.SliceOfN(rapid.Uint32(), 0, 40).Draw(t, "bits")
		array, err := exec.FromSlice(device, bits)
		require.NoError(t, err)
		defer func() { require.NoError(t, array.Close()) }()
		got, err := array.Read(t.Context())
		require.NoError(t, err)
		require.Equal(t, len(bits), array.Len())
		require.Equal(t, append([]uint32{}, bits...), got)

		low := rapid.IntRange(0, len(bits)).Draw(t, "low")
		high := rapid.IntRange(low, len(bits)).Draw(t, "high")
		part, err := array.Slice(low, high)
		require.NoError(t, err)
		got, err = part.Read(t.Context())
		require.NoError(t, err)
		require.Equal(t, append([]uint32{}, bits[low:high]...), got)
		require.NoError(t, part.ReadTo(t.Context(), via))
		require.Equal(t, got, append([]uint32{}, via.Values()[:high-low]...))
		require.Equal(t, backend.View{Buffer: array.View().Buffer, Offset: int64(4 * low), Bytes: int64(4 * (high - low))},
			part.View())
	})
}

func TestArrayElements(t *testing.T) {
	device := openCPU(t)
	vectors := []kernel.Vec3{{X: 1, Y: 2, Z: 3}, {X: 4, Y: 5, Z: float32(math.Inf(1))}}
	array := newArray(t, device, vectors...)
	assert.Equal(t, vectors, read(t, array))
	assert.Equal(t, int64(24), array.View().Bytes, "three-component vectors are packed")
	second, err := array.Slice(1, 2)
	require.NoError(t, err)
	require.NoError(t, second.Write(t.Context(), []kernel.Vec3{{X: 7}}))
	assert.Equal(t, []kernel.Vec3{{X: 1, Y: 2, Z: 3}, {X: 7}}, read(t, array))
	assert.Same(t, device, array.Device())
}

func TestNewArrayIsZeroAndMayBeEmpty(t *testing.T) {
	device := openCPU(t)
	array, err := exec.NewArray[kernel.Quat](device, 3)
	require.NoError(t, err)
	assert.Equal(t, make([]kernel.Quat, 3), read(t, array))
	empty, err := exec.NewArray[float32](device, 0)
	require.NoError(t, err)
	assert.False(t, empty.IsZero())
	assert.Empty(t, read(t, empty))
	assert.NoError(t, empty.Write(t.Context(), nil))
	require.NoError(t, errors.Join(array.Close(), empty.Close(), array.Close()))
}

func TestArrayRefuses(t *testing.T) {
	device := openCPU(t)
	for _, n := range []int{-1, math.MinInt, math.MaxInt32 + 1, math.MaxInt} {
		_, err := exec.NewArray[float32](device, n)
		requireArgError(t, err, "length")
	}
	_, err := exec.NewArray[float32](nil, 1)
	requireArgError(t, err, "device")
	_, err = exec.FromSlice[float32](nil, nil)
	requireArgError(t, err, "device")

	limited := asGPU(t)
	limited.caps.MaxBufferBytes = 7
	_, err = exec.NewArray[float32](limited, 2)
	var outOfMemory *backend.OutOfMemoryError
	require.ErrorAs(t, err, &outOfMemory)
	assert.Equal(t, backend.OutOfMemoryError{Device: "cpu", Bytes: 8, Limit: 7}, *outOfMemory)

	array := newArray(t, device, int32(1), 2, 3)
	for _, bad := range [][2]int{{-1, 2}, {2, 1}, {0, 4}, {math.MinInt, math.MaxInt}} {
		_, err := array.Slice(bad[0], bad[1])
		requireArgError(t, err, "range")
	}
	requireArgError(t, array.Write(t.Context(), []int32{1}), "source length")
	requireArgError(t, array.Check("bind", "mask", device, 4), "mask length")
	require.ErrorIs(t, array.Check("bind", "mask", limited, 3), exec.ErrDeviceMismatch)
	require.NoError(t, array.Check("bind", "mask", device, 3))

	var zero exec.Array[int32]
	assert.True(t, zero.IsZero())
	assert.Nil(t, zero.Device())
	assert.Zero(t, zero.View())
	assert.Zero(t, zero.Len())
	assert.NoError(t, zero.Close())
	_, err = zero.Read(t.Context())
	requireArgError(t, err, "array")
	requireArgError(t, zero.Write(t.Context(), []int32{1}), "array")
	_, err = zero.Slice(0, 0)
	requireArgError(t, err, "array")

	closed, err := exec.NewArray[int32](device, 1)
	require.NoError(t, err)
	alias, err := closed.Slice(0, 1)
	require.NoError(t, err)
	require.NoError(t, closed.Close())
	_, err = alias.Read(t.Context())
	require.ErrorIs(t, err, exec.ErrClosed)
	via := newHostArray[int32](t, device, 1)
	require.ErrorIs(t, alias.ReadTo(t.Context(), via), exec.ErrClosed)
	requireArgError(t, zero.ReadTo(t.Context(), via), "array")
	requireArgError(t, newArray(t, device, int32(1), 2).ReadTo(t.Context(), via), "via length")
	require.ErrorIs(t, alias.Write(t.Context(), []int32{1}), exec.ErrClosed)
	_, err = alias.Slice(0, 1)
	require.ErrorIs(t, err, exec.ErrClosed)
}

func TestArrayWaitsNotInsideCapture(t *testing.T) {
	device := openCPU(t)
	array, via := newArray(t, device, int32(1)), newHostArray[int32](t, device, 1)
	capture(t, device.DefaultStream(), func() {
		_, err := array.Read(t.Context())
		require.ErrorIs(t, err, exec.ErrCapture)
		require.ErrorIs(t, array.ReadTo(t.Context(), via), exec.ErrCapture)
		require.ErrorIs(t, array.Write(t.Context(), []int32{2}), exec.ErrCapture)
		_, err = exec.FromSlice(device, []int32{1})
		require.ErrorIs(t, err, exec.ErrCapture)
	})
	assert.Equal(t, []int32{1}, read(t, array))
}

func TestCopyAndFill(t *testing.T) { // R18, R19
	device := openCPU(t)
	lc := launchContext(t, device)
	source, destination := newArray(t, device, float32(1), 2), newArray(t, device, float32(9), 9, 9)
	exec.Copy(lc, destination, source)
	tail, err := destination.Slice(2, 3)
	require.NoError(t, err)
	exec.Fill(lc, tail, float32(math.Copysign(0, -1)))
	none, err := source.Slice(1, 1)
	require.NoError(t, err)
	exec.Copy(lc, destination, none)
	exec.Fill(lc, none, 5)
	require.NoError(t, lc.Err())
	got := read(t, destination)
	assert.Equal(t, []float32{1, 2}, got[:2])
	assert.Equal(t, uint32(1<<31), math.Float32bits(got[2]), "a fill keeps every bit")

	whole := newArray(t, device, uint32(1), 2, 3)
	exec.Fill(lc, whole, math.MaxUint32)
	require.NoError(t, lc.Err())
	assert.Equal(t, []uint32{math.MaxUint32, math.MaxUint32, math.MaxUint32}, read(t, whole))
}

func TestCopyAndFillRefuse(t *testing.T) {
	device, other := openCPU(t), openCPU(t)
	array, short, elsewhere := newArray(t, device, int32(1), 2, 3), newArray(t, device, int32(1)),
		newArray(t, other, int32(1), 2, 3)
	left, err := array.Slice(0, 2)
	require.NoError(t, err)
	right, err := array.Slice(1, 3)
	require.NoError(t, err)

	emit := func(f func(lc *exec.LaunchContext)) error {
		lc := launchContext(t, device)
		f(lc)
		return lc.Err()
	}
	requireArgError(t, emit(func(lc *exec.LaunchContext) { exec.Copy(lc, short, array) }), "source length")
	requireArgError(t, emit(func(lc *exec.LaunchContext) { exec.Copy(lc, left, right) }), "destination")
	requireArgError(t, emit(func(lc *exec.LaunchContext) { exec.Copy(lc, array, array) }), "destination")
	requireArgError(t, emit(func(lc *exec.LaunchContext) { exec.Copy(lc, exec.Array[int32]{}, array) }), "destination")
	requireArgError(t, emit(func(lc *exec.LaunchContext) { exec.Copy(lc, array, exec.Array[int32]{}) }), "source")
	requireArgError(t, emit(func(lc *exec.LaunchContext) { exec.Fill(lc, exec.Array[int32]{}, 1) }), "destination")
	require.ErrorIs(t, emit(func(lc *exec.LaunchContext) { exec.Copy(lc, array, elsewhere) }), exec.ErrDeviceMismatch)
	require.ErrorIs(t, emit(func(lc *exec.LaunchContext) { exec.Copy(lc, elsewhere, array) }), exec.ErrDeviceMismatch)
	require.ErrorIs(t, emit(func(lc *exec.LaunchContext) { exec.Fill(lc, elsewhere, 1) }), exec.ErrDeviceMismatch)
	assert.Equal(t, []int32{1, 2, 3}, read(t, array))

	failing := asGPU(t)
	failing.wrap(failing.Device.DefaultStream()).fail = map[string]error{"copy": backend.ErrDeviceLost,
		"fill": backend.ErrDeviceLost}
	a, b := newArray(t, failing, int32(1)), newArray(t, failing, int32(2))
	lc := launchContext(t, failing)
	exec.Copy(lc, a, b)
	require.ErrorIs(t, lc.Err(), backend.ErrDeviceLost)
	lc = launchContext(t, failing)
	exec.Fill(lc, a, 1)
	require.ErrorIs(t, lc.Err(), backend.ErrDeviceLost)
}
