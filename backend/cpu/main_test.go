package cpu

import (
	"sync/atomic"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/trackgen-go/trackgen/backend"
	"github.com/trackgen-go/trackgen/backend/recorder"
	"github.com/trackgen-go/trackgen/kernel"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// testDevice is a device and its default stream.
type testDevice struct {
	*device
	base *recorder.Polling
}

// openDevice opens a device that the test closes.
func openDevice(t testing.TB, options backend.Options) *testDevice {
	d, err := open(options, readSystemMemory)
	require.NoError(t, err)
	return &testDevice{d, d.DefaultStream().(*recorder.Polling)}
}

// openTest opens a device that must have no leaks at the end of the test.
func openTest(t testing.TB, options backend.Options) *testDevice {
	d := openDevice(t, options)
	t.Cleanup(func() { require.NoError(t, d.Close()) })
	return d
}

// alloc allocates a buffer of n int32 for the test.
func alloc(t testing.TB, d *testDevice, n int) backend.View {
	b, err := d.Alloc(int64(4 * n))
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, b.Close()) })
	return backend.View{Buffer: b, Bytes: int64(4 * n)}
}

// spanOf returns the span of a view of an open buffer.
func spanOf(v backend.View) *recorder.Span {
	return &recorder.Span{Memory: v.Buffer.(*recorder.Buffer).Memory(), Offset: v.Offset, Bytes: v.Bytes}
}

// ints returns the elements of a view, which the host can access on the CPU.
func ints(t testing.TB, v backend.View) []int32 {
	data, open := data(spanOf(v))
	require.True(t, open)
	return unsafe.Slice((*int32)(unsafe.Pointer(unsafe.SliceData(data))), len(data)/4)
}

func newStream(t testing.TB, d *testDevice) *recorder.Polling {
	s, err := d.NewStream()
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, s.Close()) })
	return s.(*recorder.Polling)
}

// define returns a kernel with one int32 buffer from a function that runs the items [first, last).
func define(run func(first, last int32, x []int32)) *kernel.Def {
	return &kernel.Def{
		Name:   "cpu.test",
		Params: []kernel.Param{{Name: "x", Type: kernel.Int32, Buffer: true, Access: kernel.ReadWrite}},
		Go:     func(first, last int32, args *kernel.Args) { run(first, last, kernel.Slice[int32](args, 0)) },
	}
}

// spun receives a result of spin that never occurs, so that the compiler keeps the loop.
var spun atomic.Uint32

// spin takes about a nanosecond per round, and the compiler cannot remove it.
func spin(rounds int) {
	x := uint32(rounds)
	for range rounds {
		x = x*1664525 + 1013904223
	}
	if x == 0 {
		spun.Store(x)
	}
}

// increment adds one to each element, slowly enough that a launch of many items is shared between workers.
var increment = define(func(first, last int32, x []int32) {
	for i := first; i < last; i++ {
		spin(300)
		x[i]++
	}
})

// quick adds one to each element.
var quick = define(func(first, last int32, x []int32) {
	for i := first; i < last; i++ {
		x[i]++
	}
})

// launchOf returns the arguments of a launch over all elements of v.
func launchOf(v backend.View) backend.Launch {
	return backend.Launch{N: int32(v.Bytes / 4), Buffers: []backend.View{v}}
}
