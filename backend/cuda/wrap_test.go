//go:build cgo && linux

package cuda

import (
	"fmt"
	"runtime"
	"sync/atomic"
	"testing"
	"time"
	"unsafe"

	"github.com/stretchr/testify/require"

	"github.com/trackgen-go/trackgen/backend"
	"github.com/trackgen-go/trackgen/backend/cuda/emulator"
	"github.com/trackgen-go/trackgen/exec"
)

// told is an owner of wrapped memory that counts its releases.
type told struct{ calls atomic.Int32 }

func (o *told) Release() { o.calls.Add(1) }

// requireTold requires that the owner is released, once.
func requireTold(t testing.TB, o *told) {
	t.Helper()
	for limit := time.Now().Add(time.Minute); o.calls.Load() == 0 && time.Now().Before(limit); {
		runtime.Gosched()
	}
	require.EqualValues(t, 1, o.calls.Load(), "releases of the owner")
}

// allocate allocates memory as another user of the driver, and frees it after the test.
func (o *owner) allocate(bytes uint64) uintptr {
	o.must("cuMemAlloc", o.out(), bytes)
	address := o.result()
	o.t.Cleanup(func() { o.must("cuMemFree", address) })
	return uintptr(address)
}

// Memory of every kind that a kernel can use is wrapped, at its beginning and inside.
func TestWrapKindsOfMemory(t *testing.T) {
	e := start(t, 12080, 1)
	o := newOwner(t, e)
	d := openTest(t)
	stream := o.newStream(1)
	for _, kind := range []struct {
		name string
		make func()
		free func(address uint64)
	}{
		{"cuMemAlloc", func() { o.must("cuMemAlloc", o.out(), 4096) },
			func(a uint64) { o.must("cuMemFree", a) }},
		{"managed", func() { o.must("cuMemAllocManaged", o.out(), 4096, 1) },
			func(a uint64) { o.must("cuMemFree", a) }},
		{"pool", func() {
			o.must("cuMemAllocAsync", o.out(), 4096, stream)
			o.must("cuStreamSynchronize", stream)
		}, func(a uint64) {
			o.must("cuMemFreeAsync", a, stream)
			o.must("cuStreamSynchronize", stream)
		}},
	} {
		kind.make()
		address := o.result()
		for _, offset := range []uintptr{0, 4, 4092} {
			a, err := exec.Wrap[int32](d, uintptr(address)+offset, 1, nil)
			require.NoError(t, err, kind.name)
			require.NoError(t, a.Write(t.Context(), []int32{int32(offset)}), kind.name)
			got, err := a.Read(t.Context())
			require.NoError(t, err, kind.name)
			require.Equal(t, []int32{int32(offset)}, got, kind.name)
			require.NoError(t, a.Close())
		}
		_, err := exec.Wrap[int32](d, uintptr(address)+4, 1024, nil)
		require.ErrorContains(t, err, "bytes is 4096: must be at most 4092", kind.name)
		kind.free(address)
		_, err = exec.Wrap[int32](d, uintptr(address), 1, nil)
		require.ErrorIs(t, err, backend.ErrInvalid, "%s: freed", kind.name)
	}
}

// Memory that the device cannot use is refused, and the error says what is there.
func TestWrapRefusesOtherMemory(t *testing.T) {
	e := start(t, 12080, 1)
	o := newOwner(t, e)
	d := openTest(t)
	o.must("cuMemHostAlloc", o.out(), 4096, 0)
	host := o.result()
	defer o.must("cuMemFreeHost", host)
	with := func(attribute int, value uint64) uintptr {
		address := o.allocate(4096)
		e.SetPointer(uint64(address), attribute, value)
		return address
	}
	local := make([]int32, 16)
	kept := new(told)
	for text, address := range map[string]uintptr{
		"pinned host memory":           uintptr(host),
		"memory of device 1":           with(emulator.PointerOrdinal, 1),
		"memory of another context":    with(emulator.PointerContext, 1),
		"no memory is mapped":          with(emulator.PointerMapped, 0),
		"no memory that the driver":    uintptr(unsafe.Pointer(&local[0])),
		"bytes is 64: must be a range": with(emulator.PointerMapped, 63),
	} {
		_, err := exec.Wrap[int32](d, address, 16, kept)
		require.ErrorIs(t, err, backend.ErrInvalid, text)
		require.ErrorContains(t, err, text)
	}
	mapped, err := exec.Wrap[int32](d, with(emulator.PointerMapped, 64), 16, nil)
	require.NoError(t, err, "a reserved range is used up to where it is mapped")
	require.NoError(t, mapped.Close())
	e.FailNext("cuPointerGetAttributes", 999)
	_, err = exec.Wrap[int32](d, o.allocate(64), 16, kept)
	require.ErrorContains(t, err, "cuPointerGetAttributes failed with 999")
	e.FailNth("cuPointerGetAttributes", 1, 999)
	_, err = exec.Wrap[int32](d, o.allocate(64), 16, kept)
	require.ErrorContains(t, err, "cuPointerGetAttributes failed with 999")
	require.NoError(t, d.Collect())
	require.Zero(t, kept.calls.Load(), "an owner that Wrap refused is released")
}

// While somebody else captures, memory is wrapped, recorded and given up. The capture is not broken, and the owners are
// released after it has ended, because what they do might break it. Memory that the graph uses is kept until that graph
// is gone.
func TestWrapInForeignCapture(t *testing.T) {
	withForeign(t, func(t *testing.T, o *owner, d *device, mode uint64) {
		main := o.newStream(1)
		s := adopt(t, d, main)
		recorded, unused := new(told), new(told)
		address, other := o.allocate(400), o.allocate(400)
		o.must("cuStreamBeginCapture", main, mode)
		x, err := d.Wrap(address, 400, recorded)
		require.NoError(t, err)
		y, err := d.Wrap(other, 400, unused)
		require.NoError(t, err)
		retained, err := x.Retain()
		require.NoError(t, err)
		require.NoError(t, increment(s, backend.View{Buffer: x, Bytes: 400}))
		for _, b := range []backend.Buffer{x, y, retained} {
			require.NoError(t, b.Close())
		}
		status, _ := o.info(main)
		require.Equal(t, int32(1), status, "the capture is broken")
		require.Zero(t, unused.calls.Load(), "an owner is released during a capture")
		graph, exec := o.end(main)
		flush(t, d, o)
		requireTold(t, unused)
		again, err := d.Wrap(address, 400, nil)
		require.NoError(t, err)
		for round := range int32(3) {
			set(t, d, backend.View{Buffer: again, Bytes: 400}, 10*round)
			o.replay(exec, main)
			require.Equal(t, 10*round+1, get(t, d, backend.View{Buffer: again, Bytes: 400}))
			require.Zero(t, recorded.calls.Load(), "the owner is released while a graph uses its memory")
		}
		require.NoError(t, again.Close())
		o.destroy(graph, exec)
		flush(t, d, o)
		requireTold(t, recorded)
	})
}

// flush closes a buffer, so that the device gives back what is pending.
func flush(t testing.TB, d *device, o *owner) {
	b, err := d.Wrap(o.allocate(4), 4, nil)
	require.NoError(t, err)
	require.NoError(t, b.Close())
}

// A view is freed by any thread at any time, also while another library captures in global mode on a stream that this
// package has never seen.
func TestRetainedFreedDuringUnseenCapture(t *testing.T) {
	for _, version := range versions {
		t.Run(versionText(version), func(t *testing.T) {
			e := start(t, version, 1)
			o := newOwner(t, e)
			d := openTest(t)
			b, err := d.Alloc(400)
			require.NoError(t, err)
			retained, err := b.Retain()
			require.NoError(t, err)
			require.NoError(t, b.Close())
			main := o.newStream(1)
			o.must("cuStreamBeginCapture", main, modeGlobal)
			done := make(chan error)
			go func() { done <- retained.Close() }()
			require.NoError(t, <-done)
			require.NoError(t, increment(adopt(t, d, main), view(t, d, 1)))
			status, _ := o.info(main)
			require.Equal(t, int32(1), status, "the capture is broken")
			graph, exec := o.end(main)
			o.replay(exec, main)
			o.destroy(graph, exec)
		})
	}
}

// Retained memory and the context that it belongs to outlive the device, and go with the last view, which may be closed
// while somebody else captures in global mode.
func TestRetainedOutlivesDevice(t *testing.T) {
	for _, capturing := range []bool{false, true} {
		t.Run(fmt.Sprintf("capturing %t", capturing), func(t *testing.T) {
			e := start(t, 12080, 1)
			d := openDevice(t)
			a, err := exec.FromSlice(d, []int32{1, 2, 3})
			require.NoError(t, err)
			view, err := a.Retain()
			require.NoError(t, err)
			require.NoError(t, a.Close())
			require.NoError(t, d.Close())
			if !e.IsReal() {
				require.Contains(t, e.Live(), "1 allocations")
				require.Contains(t, e.Live(), "1 context references")
			}
			other := openTest(t)
			again, err := exec.Wrap[int32](other, view.Address(), 3, nil)
			require.NoError(t, err, "the memory is gone with its device")
			got, err := again.Read(t.Context())
			require.NoError(t, err)
			require.Equal(t, []int32{1, 2, 3}, got)
			require.NoError(t, again.Close())
			if !capturing {
				require.NoError(t, view.Close())
				return
			}
			o := newOwner(t, e)
			main := o.newStream(1)
			o.must("cuStreamBeginCapture", main, modeGlobal)
			require.Equal(t, backend.CaptureForeign, adopt(t, other, main).Capture())
			require.NoError(t, view.Close())
			status, _ := o.info(main)
			require.Equal(t, int32(1), status, "the capture is broken")
			graph, exec := o.end(main)
			o.destroy(graph, exec)
			require.NoError(t, other.Collect())
		})
	}
}
