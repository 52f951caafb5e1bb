//go:build cgo && linux

package cuda

import (
	"errors"
	"fmt"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/trackgen-go/trackgen/backend"
)

// guest is a device that takes part in captures of somebody else on one stream. The test decides when it is closed.
type guest struct {
	t      *testing.T
	device *device
	stream backend.Stream
	x      backend.View
}

func newGuest(t *testing.T, stream uint64) *guest {
	d := openDevice(t)
	require.NoError(t, d.Load(incrementDef))
	s, err := d.AdoptStream(uintptr(stream))
	require.NoError(t, err)
	b, err := d.Alloc(400)
	require.NoError(t, err)
	return &guest{t, d, s, backend.View{Buffer: b, Bytes: 400}}
}

func (g *guest) flag() backend.View { return backend.View{Buffer: g.x.Buffer, Bytes: 4} }

// body adds 1 to x if its first element is not 0.
func (g *guest) body(in backend.Stream) error { return increment(in, g.x) }

func (g *guest) close() {
	require.NoError(g.t, g.x.Buffer.Close())
	require.NoError(g.t, g.stream.Close())
	require.NoError(g.t, g.device.Close())
}

// swept disposes of everything that is not kept any more, and lists what is left.
func swept(o *owner) string {
	reap()
	orphans.sweep()
	return o.e.Live()
}

// Two devices on one GPU record into one capture. Each keeps its memory and its kernels until the graph is gone, in
// whatever order they are closed, and whichever saw the capture first.
func TestDevicesShareAForeignCapture(t *testing.T) {
	for closed := range 3 {
		t.Run(fmt.Sprint(closed), func(t *testing.T) {
			o := newOwner(t, start(t, 12080, uint64(closed)))
			main := o.newStream(1)
			live := o.e.Live()
			guests := []*guest{newGuest(t, main), newGuest(t, main)}
			o.must("cuStreamBeginCapture", main, modeGlobal)
			for _, g := range guests {
				require.NoError(t, increment(g.stream, g.x))
				require.NoError(t, g.stream.If(g.flag(), g.body))
			}
			if closed < 2 { // during the capture
				guests[closed].close()
				other := guests[1-closed]
				require.NoError(t, other.stream.If(other.flag(), other.body))
			}
			graph, exec := o.end(main)
			for i, g := range guests {
				if i != closed {
					g.close()
				}
			}
			require.Contains(t, swept(o), "2 allocations")
			o.replay(exec, main)
			o.destroy(graph, exec)
			require.Equal(t, live, swept(o))
		})
	}
}

// An event remains valid after the capture in which it was recorded has ended, and after the device that saw the
// capture first is closed.
func TestEventOfAnEndedCapture(t *testing.T) {
	o := newOwner(t, start(t, 12080, 1))
	main := o.newStream(1)
	first, second := newGuest(t, main), newGuest(t, main)
	event, side := newEvent(t, second.device), newStream(t, second.device)
	o.must("cuStreamBeginCapture", main, modeGlobal)
	require.Equal(t, backend.CaptureForeign, first.stream.Capture())
	require.NoError(t, increment(second.stream, second.x))
	require.NoError(t, second.stream.Record(event))
	o.destroy(o.end(main))
	first.close()
	require.ErrorIs(t, side.Wait(event), backend.ErrCapture)
	require.NoError(t, side.Close())
	require.NoError(t, event.Close())
	second.close()
}

// The capture, the stream or the device may be gone when a body is complete, although it existed when the body was
// opened.
func TestGoneWhileABodyIsOpen(t *testing.T) {
	for _, closes := range []bool{false, true} {
		t.Run(fmt.Sprint(closes), func(t *testing.T) {
			o := newOwner(t, start(t, 12080, 1))
			main := o.newStream(1)
			live := o.e.Live()
			g := newGuest(t, main)
			o.must("cuStreamBeginCapture", main, modeGlobal)
			launches := o.e.Calls("cuLaunchKernel")
			err := g.stream.If(g.flag(), func(in backend.Stream) error {
				require.NoError(t, increment(in, g.x))
				o.destroy(o.end(main))
				if closes {
					g.close()
					require.ErrorIs(t, increment(in, g.x), backend.ErrClosed)
				}
				return nil
			})
			require.Equal(t, launches, o.e.Calls("cuLaunchKernel"))
			if closes {
				require.ErrorIs(t, err, backend.ErrClosed)
			} else {
				require.ErrorIs(t, err, backend.ErrCapture)
				g.close()
			}
			require.Equal(t, live, swept(o))
		})
	}
}

// A closed device that a graph of somebody else keeps is not given back to the driver while another capture is open.
func TestClosedDeviceWaitsForTheCapture(t *testing.T) {
	o := newOwner(t, start(t, 12080, 1))
	main := o.newStream(1)
	live := o.e.Live()
	old, now := newGuest(t, main), newGuest(t, main)
	o.must("cuStreamBeginCapture", main, modeGlobal)
	require.NoError(t, old.stream.Anchor(t)) // the graph keeps the device, but none of its memory
	graph, exec := o.end(main)
	old.close()
	o.must("cuStreamBeginCapture", main, modeGlobal)
	require.Equal(t, backend.CaptureForeign, now.stream.Capture())
	o.destroy(graph, exec)
	before := given(o.e)
	swept(o)
	require.Equal(t, before, given(o.e))
	o.destroy(o.end(main))
	now.close()
	require.Equal(t, live, swept(o))
}

// Somebody begins captures in global mode on an adopted stream. This package has not seen them yet when other
// goroutines free memory and close streams. These wait for the work of that stream, and break no capture on it.
func TestCaptureBeginsWhileMemoryIsGivenBack(t *testing.T) {
	e := start(t, 12080, 3)
	o := newOwner(t, e)
	d := openTest(t)
	main := o.newStream(1)
	adopt(t, d, main)
	stop, stopped := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(stopped)
		for {
			select {
			case <-stop:
				return
			default:
			}
			b, err := d.Alloc(400)
			errorsOf(t, err)
			s, err := d.AdoptStream(uintptr(main))
			errorsOf(t, err)
			errorsOf(t, b.Close())
			errorsOf(t, s.Close())
		}
	}()
	for range 10000 {
		o.must("cuStreamBeginCapture", main, modeGlobal)
		runtime.Gosched()
		o.must("cuStreamEndCapture", main, o.out())
		o.must("cuGraphDestroy", o.result())
	}
	close(stop)
	<-stopped
}

// An owner may destroy its stream once the wrapper is closed, even if another goroutine frees memory or closes the
// device at that time, which waits for all streams.
func TestOwnerDestroysItsStream(t *testing.T) {
	o := newOwner(t, start(t, 12080, 4))
	wrapped := func(d *device) (release func()) {
		o.must("cuStreamCreate", o.out(), 1)
		handle := o.result()
		s, err := d.AdoptStream(uintptr(handle))
		require.NoError(t, err)
		return func() {
			require.NoError(t, s.Close())
			o.must("cuStreamDestroy", handle)
		}
	}
	many := func(d *device) { // so that waiting for all streams takes long
		for range 50 {
			_, err := d.NewStream()
			require.NoError(t, err)
		}
	}
	var group sync.WaitGroup
	d := openDevice(t)
	many(d)
	var stop atomic.Bool
	group.Go(func() {
		for !stop.Load() {
			b, err := d.Alloc(400)
			errorsOf(t, err)
			errorsOf(t, b.Close())
		}
	})
	for range 500 {
		wrapped(d)()
	}
	stop.Store(true)
	group.Wait()
	require.ErrorIs(t, d.Close(), backend.ErrLeak)
	for range 50 {
		closing := openDevice(t)
		many(closing)
		_, err := closing.Alloc(400)
		require.NoError(t, err)
		release := wrapped(closing)
		group.Go(func() {
			var failed *Error
			if err := closing.Close(); errors.As(err, &failed) {
				t.Error(err)
			}
		})
		for !closing.Closed() {
			runtime.Gosched()
		}
		release()
		group.Wait()
	}
}
