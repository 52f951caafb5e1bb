//go:build cgo && linux

package cuda

import (
	"runtime"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/trackgen-go/trackgen/backend"
	"github.com/trackgen-go/trackgen/backend/backendtest/kernels"
	"github.com/trackgen-go/trackgen/backend/cuda/emulator"
	"github.com/trackgen-go/trackgen/backend/recorder"
)

// Capture modes of the driver.
const (
	modeGlobal      = 0
	modeThreadLocal = 1
	modeRelaxed     = 2
)

// owner is another user of the driver in the process, like PyTorch. It calls the driver directly, on the thread of the
// test.
type owner struct {
	t       testing.TB
	e       *emulator.Emulator
	cell    emulator.Cell
	context uint64
}

func newOwner(t testing.TB, e *emulator.Emulator) *owner {
	runtime.LockOSThread()
	o := &owner{t: t, e: e, cell: emulator.NewCell(t)}
	o.must("cuDevicePrimaryCtxRetain", o.out(), 0)
	o.context = o.result()
	o.must("cuCtxSetCurrent", o.context)
	t.Cleanup(func() {
		o.must("cuCtxSetCurrent", 0)
		o.must("cuDevicePrimaryCtxRelease", 0)
		runtime.UnlockOSThread()
	})
	return o
}

// out is the address at which a call stores its result, and result returns what was stored.
func (o *owner) out() uint64    { return o.cell.Address(0) }
func (o *owner) result() uint64 { return o.cell.Word(0) }

func (o *owner) must(name string, arguments ...uint64) {
	require.Equal(o.t, 0, o.e.Call(name, arguments...), name)
}

// newStream makes a stream. flags is 0 for a blocking stream, 1 for a non-blocking one.
func (o *owner) newStream(flags uint64) uint64 {
	o.must("cuStreamCreate", o.out(), flags)
	s := o.result()
	o.t.Cleanup(func() { o.must("cuStreamDestroy", s) })
	return s
}

func (o *owner) newEvent() uint64 {
	o.must("cuEventCreate", o.out(), 2)
	event := o.result()
	o.t.Cleanup(func() { o.must("cuEventDestroy", event) })
	return event
}

// info returns the status and the identity of the capture of a stream.
func (o *owner) info(s uint64) (status int32, id uint64) {
	a := o.cell.Address
	o.must("cuStreamGetCaptureInfo", s, a(1), a(2), a(3), a(4), a(5), a(6))
	return int32(o.cell.Word(1)), o.cell.Word(2)
}

// end ends a capture and returns its graph and the executable graph. The test must destroy both.
func (o *owner) end(s uint64) (graph, exec uint64) {
	o.must("cuStreamEndCapture", s, o.out())
	graph = o.result()
	o.cell.Set(4, 0)
	o.cell.Set(5, 0)
	o.cell.Set(6, 0)
	o.cell.Set(7, 0)
	o.must("cuGraphInstantiateWithParams", o.out(), graph, o.cell.Address(4))
	return graph, o.result()
}

func (o *owner) destroy(graph, exec uint64) {
	o.must("cuGraphDestroy", graph)
	o.must("cuGraphExecDestroy", exec)
}

func (o *owner) replay(exec, s uint64) {
	o.must("cuGraphLaunch", exec, s)
	o.must("cuStreamSynchronize", s)
}

// adopt wraps a stream until the end of the test.
func adopt(t testing.TB, d *device, handle uint64) *recorder.Adoptable {
	s, err := d.AdoptStream(uintptr(handle))
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, s.Close()) })
	return s.(*recorder.Adoptable)
}

// view makes a buffer of n int32, which is closed at the end of the test.
func view(t testing.TB, d *device, n int) backend.View {
	b, err := d.Alloc(int64(4 * n))
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, b.Close()) })
	return backend.View{Buffer: b, Bytes: int64(4 * n)}
}

func newStream(t testing.TB, d *device) *recorder.Adoptable {
	s, err := d.NewStream()
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, s.Close()) })
	return s.(*recorder.Adoptable)
}

func newEvent(t testing.TB, d *device) *recorder.Event {
	e, err := d.NewEvent()
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, e.Close()) })
	return e.(*recorder.Event)
}

var incrementDef = &kernels.IncrementDef

// launchOf returns the arguments of a launch over all elements of x.
func launchOf(x backend.View) backend.Launch {
	return backend.Launch{N: int32(x.Bytes / 4), Buffers: []backend.View{x}}
}

// increment emits x += 1.
func increment(s backend.Stream, x backend.View) error { return s.Launch(incrementDef, launchOf(x)) }

// set writes a value to all elements and waits.
func set(t testing.TB, d *device, x backend.View, value int32) {
	require.NoError(t, d.DefaultStream().Fill(x, uint32(value)))
	require.NoError(t, d.DefaultStream().Sync())
}

// get returns the first element, and fails the test if the other elements differ from it.
func get(t testing.TB, d *device, x backend.View) int32 {
	host, err := d.AllocHost(x.Bytes)
	require.NoError(t, err)
	require.NoError(t, d.DefaultStream().Download(host, 0, x))
	require.NoError(t, d.DefaultStream().Sync())
	values := kernel32(host.Bytes())
	for _, value := range values {
		require.Equal(t, values[0], value)
	}
	require.NoError(t, host.Close())
	return values[0]
}

func kernel32(data []byte) []int32 {
	values := make([]int32, len(data)/4)
	for i := range values {
		values[i] = int32(data[4*i]) | int32(data[4*i+1])<<8 | int32(data[4*i+2])<<16 | int32(data[4*i+3])<<24
	}
	return values
}
