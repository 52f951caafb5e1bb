//go:build cgo && linux

package exec_test

import (
	"errors"
	"fmt"
	"math"
	"runtime"
	"sync"
	"testing"
	"time"
	"unsafe"
	"weak"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/trackgen-go/trackgen/backend"
	"github.com/trackgen-go/trackgen/backend/cuda/emulator"
	"github.com/trackgen-go/trackgen/backend/noop"
	"github.com/trackgen-go/trackgen/backend/recorder"
	"github.com/trackgen-go/trackgen/exec"
)

// addressOf returns the address of the first element of a slice.
func addressOf[T any](s []T) uintptr { return uintptr(unsafe.Pointer(unsafe.SliceData(s))) }

// ownerOf returns an owner and a channel that its release closes.
func ownerOf() (backend.Releaser, <-chan struct{}) {
	done := make(chan struct{})
	return backend.ReleaseFunc(func() { close(done) }), done
}

func requireReleased(t testing.TB, done <-chan struct{}) {
	t.Helper()
	select {
	case <-done:
	case <-time.After(time.Minute):
		require.Fail(t, "the owner is not released")
	}
}

// requireKept requires that an owner is not released. Owners are told one after the other, so one of other memory is
// released first.
func requireKept(t testing.TB, device backend.Device, of uintptr, done <-chan struct{}) {
	t.Helper()
	probe, told := ownerOf()
	a, err := exec.Wrap[int32](device, of, 1, probe)
	require.NoError(t, err)
	require.NoError(t, a.Close())
	requireReleased(t, told)
	select {
	case <-done:
		require.Fail(t, "the owner is released too early")
	default:
	}
}

// onForeignMemory runs a test with an array of another device, whose memory the device can wrap.
func onForeignMemory(t *testing.T, values []int32,
	run func(t *testing.T, device backend.Device, theirs exec.Array[int32])) {
	onBackends(t, func(t *testing.T, device backend.Device, _ *emulator.Emulator) {
		if !device.Caps().ForeignMemory {
			owner, done := ownerOf()
			_, err := exec.Wrap[int32](device, 4096, 1, owner)
			require.ErrorIs(t, err, backend.ErrUnsupported)
			select {
			case <-done:
				require.Fail(t, "the owner of refused memory is released")
			default:
			}
			return
		}
		other, err := backend.Open(device.Info().Name)
		require.NoError(t, err)
		defer func() { require.NoError(t, other.Close()) }()
		theirs, err := exec.FromSlice(other, values)
		require.NoError(t, err)
		defer func() { require.NoError(t, theirs.Close()) }()
		run(t, device, theirs)
	})
}

// A wrapped array is used like any other: in launches, copies, fills, reads and writes, and as a flag. The graph of a
// runner keeps it, and its owner is told when nothing uses the memory.
func TestWrap(t *testing.T) { // R168
	onForeignMemory(t, []int32{1, 1, 1}, func(t *testing.T, device backend.Device, theirs exec.Array[int32]) {
		owner, done := ownerOf()
		a, err := exec.Wrap[int32](device, theirs.Address(), theirs.Len(), owner)
		require.NoError(t, err)
		require.Equal(t, theirs.Address(), a.Address())
		part := func(low, high int) exec.Array[int32] {
			p, err := a.Slice(low, high)
			require.NoError(t, err)
			return p
		}
		require.NoError(t, part(1, 3).Write(t.Context(), []int32{5, 6}))
		require.Equal(t, []int32{1, 5, 6}, read(t, theirs))
		result := newArray(t, device, int32(0), int32(0))
		producer := newProducer(t, device, exec.RunnerOptions{Capturable: true})
		for round := range int32(4) { // the first run may emit its work twice (C12)
			require.NoError(t, theirs.Write(t.Context(), []int32{1, round, 0}))
			_, err := producer.Run(t.Context(), func(lc *exec.LaunchContext) {
				exec.SkipUnless(lc, part(0, 1), func(lc *exec.LaunchContext) {
					exec.Copy(lc, result, part(0, 2))
					exec.Fill(lc, part(2, 3), 9)
					increment(lc, part(2, 3))
				})
			}, exec.RunOptions{Sync: true})
			require.NoError(t, err)
			require.Equal(t, []int32{1, round, 10}, read(t, theirs))
			require.Equal(t, []int32{1, round}, read(t, result))
		}
		require.NoError(t, a.Close())
		_, err = a.Read(t.Context())
		require.ErrorIs(t, err, exec.ErrClosed)
		if producer.Graph() != nil {
			requireKept(t, device, theirs.Address(), done)
		}
		require.NoError(t, producer.Close())
		requireReleased(t, done)
	})
}

// An owner that is no Releaser is kept reachable as long as the memory is used, and not longer.
func TestWrapKeepsOwnerReachable(t *testing.T) { // R168
	device := openCPU(t)
	collected := make(chan struct{})
	a, err := func() (exec.Array[int32], error) {
		memory := []int32{1, 2, 3, 4}
		runtime.AddCleanup(unsafe.SliceData(memory), func(int) { close(collected) }, 0)
		return exec.Wrap[int32](device, addressOf(memory), 4, memory)
	}()
	require.NoError(t, err)
	for range 3 {
		runtime.GC()
	}
	require.Equal(t, []int32{1, 2, 3, 4}, read(t, a))
	select {
	case <-collected:
		t.Fatal("the owner is not reachable")
	default:
	}
	require.NoError(t, a.Close())
	for limit := time.Now().Add(time.Minute); time.Now().Before(limit); runtime.GC() {
		select {
		case <-collected:
			return
		default:
		}
	}
	t.Fatal("the owner is reachable after Close")
}

// What cannot be wrapped is refused before any use, and its owner is not released.
func TestWrapRefuses(t *testing.T) { // R168
	device := openCPU(t)
	memory := make([]int32, 16)
	at := addressOf(memory)
	owner, done := ownerOf()
	for _, wrong := range []struct {
		argument string
		address  uintptr
		n        int
	}{
		{"length", at, 0}, {"length", at, -1}, {"length", at, math.MinInt}, {"length", at, math.MaxInt},
		{"length", at, exec.MaxElements + 1}, {"address", 0, 1}, {"address", at + 1, 1}, {"address", at + 2, 1},
		{"bytes", ^uintptr(0) - 7, exec.MaxElements}, {"address", 4096, 1}, {"address", 1 << 46, exec.MaxElements},
	} {
		_, err := exec.Wrap[int32](device, wrong.address, wrong.n, owner)
		requireArgError(t, err, wrong.argument)
	}
	_, err := exec.Wrap[int32](nil, at, 1, owner)
	requireArgError(t, err, "device")
	none, err := noop.Open()
	require.NoError(t, err)
	_, err = exec.Wrap[int32](none, at, 1, owner)
	require.ErrorIs(t, err, backend.ErrUnsupported)
	require.NoError(t, none.Close())
	_, err = exec.Wrap[int32](none, at, 1, owner)
	require.ErrorIs(t, err, backend.ErrClosed)
	requireKept(t, device, at, done)
}

// Arrays that are wrapped from overlapping memory, or from memory of the device, overlap by their addresses. The error
// names them. Retained arrays overlap as the arrays that they were retained from.
func TestWrappedArraysOverlap(t *testing.T) { // R168, R169
	device := openCPU(t)
	own, err := exec.FromSlice(device, []float32{1, 2, 3, 4, 5, 6, 7, 8})
	require.NoError(t, err)
	defer func() { require.NoError(t, own.Close()) }()
	wrap := func(first, n int) exec.Array[float32] {
		a, err := exec.Wrap[float32](device, own.Address()+uintptr(4*first), n, nil)
		require.NoError(t, err)
		t.Cleanup(func() { require.NoError(t, a.Close()) })
		return a
	}
	retained, err := own.Retain()
	require.NoError(t, err)
	defer func() { require.NoError(t, retained.Close()) }()
	again, err := retained.Retain()
	require.NoError(t, err)
	defer func() { require.NoError(t, again.Close()) }()
	head, middle, tail := wrap(0, 4), wrap(3, 4), wrap(4, 4)
	upper := func(a exec.Array[float32]) exec.Array[float32] {
		a, err := a.Slice(4, 8)
		require.NoError(t, err)
		return a
	}
	for i, pair := range [][2]exec.Array[float32]{{head, middle}, {middle, tail}, {own, head}, {tail, own},
		{retained, own}, {own, again}, {retained, again}, {retained, tail}, {upper(own), tail}, {upper(again), middle}} {
		lc := launchContext(t, device)
		mix(lc, 1, pair[0], pair[0], 0, 0, 0, pair[1])
		requireArgError(t, lc.Err(), "out")
		lc = launchContext(t, device)
		mix(lc, 1, pair[1], pair[0], 0, 0, 0, pair[0])
		requireArgError(t, lc.Err(), "out")
		lc = launchContext(t, device)
		one, err := pair[0].Slice(0, pair[0].Len())
		require.NoError(t, err)
		two, err := pair[1].Slice(0, pair[1].Len())
		require.NoError(t, err)
		if one.Len() == two.Len() {
			exec.Copy(lc, one, two)
			requireArgError(t, lc.Err(), "destination")
			if i < 4 {
				require.ErrorContains(t, lc.Err(), fmt.Sprintf("%#x", one.Address()))
				require.ErrorContains(t, lc.Err(), fmt.Sprintf("%#x", two.Address()))
			}
		}
	}
	lc := launchContext(t, device)
	mix(lc, 4, head, head, 0, 0, 0, tail) // beside each other
	exec.Copy(lc, upper(retained), head)
	require.NoError(t, lc.Err())
}

// A retained array stays when the array that it was retained from, a graph and at last the device are closed. Its
// memory is that of the original.
func TestRetain(t *testing.T) { // R169
	onBackends(t, func(t *testing.T, shared backend.Device, _ *emulator.Emulator) {
		device, err := backend.Open(shared.Info().Name)
		require.NoError(t, err)
		a, err := exec.FromSlice(device, []int32{1, 2, 3, 4})
		require.NoError(t, err)
		part, err := a.Slice(1, 3)
		require.NoError(t, err)
		view, err := part.Retain()
		require.NoError(t, err)
		assert.Equal(t, part.Address(), view.Address())
		assert.Equal(t, 2, view.Len())
		require.NoError(t, part.Close())
		assert.Zero(t, part.Address())
		_, err = a.Retain()
		require.ErrorIs(t, err, exec.ErrClosed)
		lc := launchContext(t, device)
		increment(lc, view)
		require.NoError(t, lc.Err())
		assert.Equal(t, []int32{3, 4}, read(t, view))
		require.NoError(t, device.Close(), "a retained array is no leak")
		_, err = view.Read(t.Context())
		require.ErrorIs(t, err, exec.ErrClosed)
		if shared.Caps().ForeignMemory {
			address := view.Address()
			require.NotZero(t, address)
			theirs, err := exec.Wrap[int32](shared, address, 2, nil)
			require.NoError(t, err)
			assert.Equal(t, []int32{3, 4}, read(t, theirs))
			require.NoError(t, theirs.Close())
		}
		require.NoError(t, view.Close())
		require.NoError(t, view.Close())
		assert.Zero(t, view.Address())
	})
}

func TestRetainRefuses(t *testing.T) { // R169
	_, err := exec.Array[int32]{}.Retain()
	requireArgError(t, err, "array")
	device := openCPU(t)
	a := newArray(t, device, int32(1))
	require.NoError(t, a.Close())
	_, err = a.Retain()
	require.ErrorIs(t, err, exec.ErrClosed)
}

// The memory of a retained array stays in place although nothing in Go refers to the array: another library knows its
// address only.
func TestRetainedMemoryNeedsNoReference(t *testing.T) { // R169
	device, err := backend.Open("cpu")
	require.NoError(t, err)
	a, err := exec.FromSlice(device, []int32{7, 8, 9})
	require.NoError(t, err)
	view, err := a.Retain()
	require.NoError(t, err)
	require.NoError(t, errors.Join(a.Close(), device.Close()))
	address, buffer := view.Address(), weak.Make(view.View().Buffer.(*recorder.Buffer))
	a, view = exec.Array[int32]{}, exec.Array[int32]{}
	for range 3 {
		runtime.GC()
	}
	require.NotNil(t, buffer.Value(), "the memory is gone")
	words := unsafe.Slice(*(**int32)(unsafe.Pointer(&address)), 3)
	require.Equal(t, []int32{7, 8, 9}, words)
	require.NoError(t, buffer.Value().Close())
}

// Views come and go on any goroutine while arrays, graphs and the device are used and closed.
func TestRetainConcurrently(t *testing.T) { // R169
	onBackends(t, func(t *testing.T, shared backend.Device, _ *emulator.Emulator) {
		device, err := backend.Open(shared.Info().Name)
		require.NoError(t, err)
		a, err := exec.FromSlice(device, []int32{1, 2, 3, 4})
		require.NoError(t, err)
		first, err := a.Retain()
		require.NoError(t, err)
		var group sync.WaitGroup
		for range 4 {
			group.Go(func() {
				for range 50 {
					view, err := first.Retain()
					if assert.NoError(t, err) {
						assert.NoError(t, view.Close())
					}
				}
			})
		}
		stream := device.DefaultStream()
		for range 5 {
			assert.NoError(t, stream.BeginCapture())
			lc := launchContext(t, device)
			increment(lc, first)
			assert.NoError(t, lc.Err())
			graph, err := stream.EndCapture()
			if assert.NoError(t, err) {
				assert.NoError(t, errors.Join(stream.Replay(graph), graph.Close()))
			}
		}
		require.NoError(t, errors.Join(a.Close(), device.Close()))
		group.Wait()
		require.NoError(t, first.Close())
	})
}
