//go:build cgo && linux

package cuda

import (
	"errors"
	"fmt"
	"runtime"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/trackgen-go/trackgen/backend"
	"github.com/trackgen-go/trackgen/backend/backendtest/kernels"
	"github.com/trackgen-go/trackgen/backend/cuda/emulator"
	"github.com/trackgen-go/trackgen/backend/recorder"
)

// withForeign runs a test with each driver version and capture mode, with the kernels loaded.
func withForeign(t *testing.T, run func(t *testing.T, o *owner, d *device, mode uint64)) {
	for _, version := range versions {
		for _, mode := range []uint64{modeGlobal, modeThreadLocal, modeRelaxed} {
			t.Run(fmt.Sprintf("%s mode %d", versionText(version), mode), func(t *testing.T) {
				e := start(t, version, uint64(version)+mode)
				o := newOwner(t, e)
				d := openTest(t)
				require.NoError(t, d.Load(kernels.Defs...))
				run(t, o, d, mode)
			})
		}
	}
}

// A capture of somebody else holds our launches, copies, fills and conditionals. Bodies run or do not run, conditionals
// are nested, and a fork of the owner is not joined yet. The capture keeps its identity and ends as the owner ends it.
func TestForeignCapture(t *testing.T) {
	withForeign(t, func(t *testing.T, o *owner, d *device, mode uint64) {
		main, side := o.newStream(1), o.newStream(1)
		fork, join := o.newEvent(), o.newEvent()
		s := adopt(t, d, main)
		x, y, outer, inner := view(t, d, 100), view(t, d, 100), view(t, d, 1), view(t, d, 1)

		require.Equal(t, backend.CaptureNone, s.Capture())
		o.must("cuStreamBeginCapture", main, mode)
		_, before := o.info(main)
		o.must("cuEventRecord", fork, main)
		o.must("cuStreamWaitEvent", side, fork, 0)
		require.Equal(t, backend.CaptureForeign, s.Capture())
		require.NoError(t, increment(s, x))
		require.NoError(t, s.Copy(y, x))
		body := func(in backend.Stream) error {
			require.Equal(t, backend.CaptureForeign, in.Capture())
			return errors.Join(increment(in, x),
				in.If(inner, func(in backend.Stream) error { return errors.Join(in.Fill(y, 1000), increment(in, y)) }),
				increment(in, x))
		}
		if err := s.If(outer, body); d.Caps().CaptureConditionals {
			require.NoError(t, err)
		} else {
			require.ErrorIs(t, err, backend.ErrUnsupported)
		}
		status, after := o.info(main)
		require.Equal(t, int32(1), status)
		require.Equal(t, before, after, "the capture has another identity")
		require.NoError(t, increment(s, y))
		o.must("cuEventRecord", join, side)
		o.must("cuStreamWaitEvent", main, join, 0)
		graph, exec := o.end(main)
		require.Equal(t, backend.CaptureNone, s.Capture())

		wantX := int32(0)
		for state := range int32(4) {
			set(t, d, outer, state&1)
			set(t, d, inner, state>>1)
			o.replay(exec, main)
			wantX++
			wantY := wantX + 1
			if d.Caps().CaptureConditionals && state&1 != 0 {
				wantX += 2
				if state>>1 != 0 {
					wantY = 1002
				}
			}
			require.Equal(t, wantX, get(t, d, x), "state %d", state)
			require.Equal(t, wantY, get(t, d, y), "state %d", state)
		}
		o.destroy(graph, exec)
	})
}

// A stream of ours joins a capture of somebody else and leaves it again.
func TestJoinForeignCapture(t *testing.T) {
	withForeign(t, func(t *testing.T, o *owner, d *device, mode uint64) {
		main := o.newStream(1)
		s, side, x := adopt(t, d, main), newStream(t, d), view(t, d, 100)
		fork, join, outside := newEvent(t, d), newEvent(t, d), newEvent(t, d)
		require.NoError(t, d.DefaultStream().Record(outside))
		o.must("cuStreamBeginCapture", main, mode)
		require.ErrorIs(t, s.Wait(outside), backend.ErrCapture, "905 would break the capture")
		require.NoError(t, increment(s, x))
		require.NoError(t, s.Record(fork))
		require.NoError(t, side.Wait(fork))
		require.Equal(t, backend.CaptureJoined, side.Capture())
		require.ErrorIs(t, side.BeginCapture(), backend.ErrCapture)
		_, err := side.EndCapture()
		require.ErrorIs(t, err, backend.ErrCapture)
		require.ErrorIs(t, side.Sync(), backend.ErrCapture, "900 would break the capture")
		require.ErrorIs(t, fork.Sync(), backend.ErrCapture, "907 would break the capture")
		require.NoError(t, increment(side, x))
		require.NoError(t, side.Record(join))
		require.NoError(t, s.Wait(join))
		require.NoError(t, increment(s, x))
		graph, exec := o.end(main)
		require.Equal(t, backend.CaptureNone, side.Capture())
		require.ErrorIs(t, newStream(t, d).Wait(fork), backend.ErrCapture, "the capture of the event has ended")
		o.replay(exec, main)
		require.Equal(t, int32(3), get(t, d, x))
		o.destroy(graph, exec)
	})
}

// An event of a capture that has ended is refused, even where another capture on that stream has been invalidated.
func TestForeignEventOfEndedCapture(t *testing.T) {
	withForeign(t, func(t *testing.T, o *owner, d *device, mode uint64) {
		main, side := o.newStream(1), o.newStream(1)
		outside, event := o.newEvent(), newEvent(t, d)
		s := adopt(t, d, main)
		o.must("cuStreamBeginCapture", main, mode)
		require.NoError(t, s.Record(event))
		graph, exec := o.end(main)
		o.must("cuStreamBeginCapture", main, mode)
		o.must("cuEventRecord", outside, side)
		require.NotZero(t, o.e.Call("cuStreamWaitEvent", main, outside, 0))
		require.Equal(t, backend.CaptureInvalidated, s.Capture())
		require.ErrorIs(t, newStream(t, d).Wait(event), backend.ErrCapture)
		require.NotZero(t, o.e.Call("cuStreamEndCapture", main, o.out()))
		o.destroy(graph, exec)
	})
}

// If a body returns an error, is refused or panics, nothing of it is left in the capture of somebody else.
func TestForeignBodyFails(t *testing.T) {
	e := start(t, 12040, 1)
	o := newOwner(t, e)
	d := openTest(t)
	main := o.newStream(1)
	s, x, flag, host := adopt(t, d, main), view(t, d, 10), view(t, d, 1), hostOf(t, d, 40)
	require.NoError(t, d.Load(kernels.Defs...))
	set(t, d, flag, 1)
	o.must("cuStreamBeginCapture", main, modeGlobal)
	failure := errors.New("the body fails")
	calls := e.Calls("cuGraphConditionalHandleCreate")
	require.ErrorIs(t, s.If(flag, func(in backend.Stream) error { return errors.Join(increment(in, x), failure) }),
		failure)
	require.Panics(t, func() { _ = s.If(flag, func(backend.Stream) error { panic("the body panics") }) })
	require.NoError(t, s.If(flag, func(backend.Stream) error { return nil }), "an empty body makes no node")
	require.Equal(t, calls, e.Calls("cuGraphConditionalHandleCreate"), "no handle before the body is complete")
	require.NoError(t, s.If(flag, func(in backend.Stream) error {
		require.ErrorIs(t, increment(s, x), backend.ErrCapture, "D17")
		require.ErrorIs(t, in.Upload(x, host, 0), backend.ErrUnsupported)
		require.ErrorIs(t, in.Record(newEvent(t, d)), backend.ErrCapture)
		require.ErrorIs(t, in.Sync(), backend.ErrCapture)
		return increment(in, x)
	}))
	require.NoError(t, increment(s, x))
	graph, exec := o.end(main)
	o.replay(exec, main)
	require.Equal(t, int32(2), get(t, d, x))
	o.destroy(graph, exec)
}

func hostOf(t testing.TB, d *device, bytes int64) backend.HostBuffer {
	h, err := d.AllocHost(bytes)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, h.Close()) })
	return h
}

// A graph of our own, with forks, a loop and a conditional, is recorded operation by operation into a capture of
// somebody else, where it cannot be a child graph.
func TestReplayInForeignCapture(t *testing.T) {
	e := start(t, 12080, 2)
	o := newOwner(t, e)
	d := openTest(t)
	main := o.newStream(1)
	s, own, side := adopt(t, d, main), newStream(t, d), newStream(t, d)
	x, flag, count := view(t, d, 10), view(t, d, 1), view(t, d, 1)
	fork, join := newEvent(t, d), newEvent(t, d)
	require.NoError(t, own.BeginCapture())
	require.NoError(t, increment(own, x))
	require.NoError(t, own.Record(fork))
	require.NoError(t, side.Wait(fork))
	require.NoError(t, increment(side, count))
	require.NoError(t, side.Record(join))
	require.NoError(t, own.If(flag, func(in backend.Stream) error { return increment(in, x) }))
	require.NoError(t, own.Wait(join))
	require.NoError(t, own.Repeat(count, 3, func(in backend.Stream) error { return increment(in, x) }))
	g, err := own.EndCapture()
	require.NoError(t, err)
	text, err := DOT(g)
	require.NoError(t, err)
	require.Contains(t, text, "k_increment")

	o.must("cuStreamBeginCapture", main, modeGlobal)
	require.NoError(t, s.Replay(g))
	require.NoError(t, increment(s, x))
	graph, exec := o.end(main)
	require.NoError(t, g.Close())
	o.replay(exec, main)
	require.Equal(t, int32(1+3+1), get(t, d, x))
	set(t, d, flag, 1)
	set(t, d, count, 0)
	o.replay(exec, main)
	require.Equal(t, int32(5+1+1+3+1), get(t, d, x))
	o.destroy(graph, exec)
}

// If a graph is replayed inside a body, its operations go into the body. Host copies are refused there, as they are
// when called directly (R40).
func TestReplayInBody(t *testing.T) {
	e := start(t, 12080, 12)
	o := newOwner(t, e)
	d := openTest(t)
	main := o.newStream(1)
	own, x, flag, host := newStream(t, d), view(t, d, 10), view(t, d, 1), hostOf(t, d, 40)
	record := func(s *recorder.Adoptable, emit func()) backend.Graph {
		require.NoError(t, s.BeginCapture())
		emit()
		g, err := s.EndCapture()
		require.NoError(t, err)
		t.Cleanup(func() { require.NoError(t, g.Close()) })
		return g
	}
	plain := record(own, func() { require.NoError(t, errors.Join(increment(own, x), increment(own, x))) })
	copies := record(own, func() { require.NoError(t, own.Upload(x, host, 0)) })
	body := func(in backend.Stream) error {
		require.ErrorIs(t, in.Replay(copies), backend.ErrUnsupported)
		return in.Replay(plain)
	}
	g := record(own, func() { require.NoError(t, own.If(flag, body)) })
	o.must("cuStreamBeginCapture", main, modeGlobal)
	require.NoError(t, adopt(t, d, main).If(flag, body))
	graph, exec := o.end(main)
	for _, value := range []int32{0, 1} {
		set(t, d, flag, value)
		require.NoError(t, errors.Join(own.Replay(g), own.Sync()))
		o.replay(exec, main)
		require.Equal(t, 4*value, get(t, d, x))
	}
	o.destroy(graph, exec)
}

// Operations after the replay of a graph in a capture depend on all last operations of the graph.
func TestReplayInCaptureHasAllEnds(t *testing.T) {
	start(t, 12080, 11)
	d := openTest(t)
	s, side, fork, join := newStream(t, d), newStream(t, d), newEvent(t, d), newEvent(t, d)
	x, y, z := view(t, d, 10), view(t, d, 10), view(t, d, 10)
	require.NoError(t, s.BeginCapture())
	require.NoError(t, errors.Join(s.Record(fork), side.Wait(fork), increment(side, y), side.Record(join), increment(s, x),
		s.Wait(join)))
	inner, err := s.EndCapture()
	require.NoError(t, err)
	require.NoError(t, s.BeginCapture())
	require.NoError(t, errors.Join(s.Fill(x, 0), s.Fill(y, 0), s.Replay(inner), s.Copy(z, x), increment(s, z),
		s.Copy(x, y)))
	outer, err := s.EndCapture()
	require.NoError(t, err)
	for range 30 {
		require.NoError(t, errors.Join(s.Fill(z, 0), s.Replay(outer), s.Sync()))
		require.Equal(t, int32(1), get(t, d, x))
		require.Equal(t, int32(2), get(t, d, z))
	}
	require.NoError(t, errors.Join(inner.Close(), outer.Close()))
}

// What a graph of somebody else uses is kept until the graph and everything instantiated from it are gone, even if
// buffers and devices are closed before. Then it is given back.
func TestForeignGraphKeepsMemory(t *testing.T) {
	for _, execFirst := range []bool{true, false} {
		e := start(t, 12080, 3)
		o := newOwner(t, e)
		d := openDevice(t)
		main := o.newStream(1)
		s, err := d.AdoptStream(uintptr(main))
		require.NoError(t, err)
		b, err := d.Alloc(400)
		require.NoError(t, err)
		x := backend.View{Buffer: b, Bytes: 400}
		collected := make(chan struct{})
		o.must("cuStreamBeginCapture", main, modeGlobal)
		require.NoError(t, increment(s, x))
		func() {
			anchor := new([64]int)
			runtime.AddCleanup(anchor, func(done chan struct{}) { close(done) }, collected)
			require.NoError(t, s.Anchor(anchor))
		}()
		graph, exec := o.end(main)
		require.NoError(t, b.Close())
		require.NoError(t, s.Close())
		require.NoError(t, d.Close())
		runtime.GC()
		require.Contains(t, e.Live(), "1 allocations")
		o.replay(exec, main)
		if execFirst {
			o.must("cuGraphExecDestroy", exec)
			reap()
			require.Contains(t, e.Live(), "1 allocations", "the graph is still there")
			o.must("cuGraphDestroy", graph)
		} else {
			o.must("cuGraphDestroy", graph)
			reap()
			require.Contains(t, e.Live(), "1 allocations", "what was instantiated is still there")
			o.replay(exec, main)
			o.must("cuGraphExecDestroy", exec)
		}
		reap()
		orphans.sweep()
		require.NotContains(t, e.Live(), "allocations")
		for range 10 {
			runtime.GC()
		}
		<-collected
	}
}

// Memory counts against the limit of the device until it is given back to the driver: while a capture of somebody else
// is open, and while their graph uses it. A body may close its flag and the buffers that it has used.
func TestLimitCountsWhatOthersKeep(t *testing.T) { // R166
	e := start(t, 12080, 8)
	o := newOwner(t, e)
	const size = 40 << 10
	d := openTest(t, backend.MemoryLimit(64<<10))
	require.NoError(t, d.Load(kernels.Defs...))
	main := o.newStream(1)
	s, x := adopt(t, d, main), view(t, d, 10)
	buffer := func() backend.Buffer {
		b, err := d.Alloc(size)
		require.NoError(t, err)
		return b
	}
	full := func() {
		_, err := d.Alloc(size)
		require.ErrorIs(t, err, backend.ErrOutOfMemory)
	}
	unused := buffer()
	o.must("cuStreamBeginCapture", main, modeGlobal)
	require.NoError(t, increment(s, x))
	require.NoError(t, unused.Close())
	full()
	graph, exec := o.end(main)
	used := buffer()
	o.destroy(graph, exec)

	set(t, d, x, 0)
	whole := backend.View{Buffer: used, Bytes: size}
	set(t, d, whole, 1)
	o.must("cuStreamBeginCapture", main, modeGlobal)
	require.NoError(t, s.If(backend.View{Buffer: used, Bytes: 4}, func(in backend.Stream) error {
		return errors.Join(increment(in, whole), in.Copy(x, backend.View{Buffer: used, Bytes: x.Bytes}), used.Close())
	}))
	graph, exec = o.end(main)
	full()
	o.replay(exec, main)
	o.replay(exec, main)
	require.Equal(t, int32(3), get(t, d, x))
	o.destroy(graph, exec)
	require.NoError(t, buffer().Close())
}

// No goroutine breaks a capture in global mode on another thread, whatever it does. Whatever would free memory waits
// until the capture has ended.
func TestForeignCaptureIsLeftAlone(t *testing.T) {
	withForeign(t, func(t *testing.T, o *owner, d *device, mode uint64) {
		main := o.newStream(1)
		s, x := adopt(t, d, main), view(t, d, 100)
		old, err := d.NewStream()
		require.NoError(t, err)
		oldBuffer, err := d.Alloc(64)
		require.NoError(t, err)
		oldHost, err := d.AllocHost(64)
		require.NoError(t, err)
		require.NoError(t, old.BeginCapture())
		oldGraph, err := old.EndCapture()
		require.NoError(t, err)
		o.must("cuStreamBeginCapture", main, mode)
		require.NoError(t, increment(s, x))
		frees := o.e.Calls("cuMemFree")
		var group sync.WaitGroup
		for range 4 {
			group.Go(func() { errorsOf(t, churn(d)) })
		}
		group.Go(func() {
			errorsOf(t, errors.Join(oldBuffer.Close(), oldHost.Close(), oldGraph.Close(), old.Close()))
		})
		group.Go(func() {
			other, err := backend.Open("cuda:0")
			errorsOf(t, err)
			errorsOf(t, churn(other.(*device)))
			errorsOf(t, other.Close())
		})
		group.Wait()
		errorsOf(t, churn(d))
		require.Equal(t, frees, o.e.Calls("cuMemFree"), "memory is freed during a capture")
		require.NoError(t, increment(s, x))
		status, _ := o.info(main)
		require.Equal(t, int32(1), status, "the capture is broken")
		graph, exec := o.end(main)
		o.replay(exec, main)
		require.Equal(t, int32(2), get(t, d, x))
		require.True(t, o.e.IsReal() || o.e.Calls("cuMemFree") > frees, "memory is not freed after the capture")
		o.destroy(graph, exec)
	})
}

func errorsOf(t testing.TB, err error) {
	if err != nil {
		t.Error(err)
	}
}

// churn makes, uses and closes one of everything.
func churn(d *device) (err error) {
	keep := func(closer interface{ Close() error }) { err = errors.Join(err, closer.Close()) }
	b, err := d.Alloc(4000)
	if err != nil {
		return err
	}
	defer keep(b)
	host, err := d.AllocHost(4000)
	if err != nil {
		return err
	}
	defer keep(host)
	s, err := d.NewStream()
	if err != nil {
		return err
	}
	defer keep(s)
	e, err := d.NewEvent()
	if err != nil {
		return err
	}
	defer keep(e)
	wrapped, err := d.Wrap(b.(backend.Addresser).Address(), 4000, nil)
	if err != nil {
		return err
	}
	defer keep(wrapped)
	retained, err := wrapped.Retain()
	if err != nil {
		return err
	}
	defer keep(retained)
	x := backend.View{Buffer: retained, Bytes: 4000}
	if err := errors.Join(d.Load(kernels.Defs...), s.Upload(x, host, 0), increment(s, x), s.Record(e),
		d.DefaultStream().Wait(e), s.Sync(),
		e.Sync(), s.BeginCapture(), increment(s, x)); err != nil {
		return err
	}
	if d.Caps().WhileNodes {
		flag := backend.View{Buffer: b, Bytes: 4}
		if err := errors.Join(s.If(flag, func(in backend.Stream) error { return increment(in, x) }),
			s.(*recorder.Adoptable).Repeat(flag, 2, func(in backend.Stream) error { return increment(in, x) })); err != nil {
			return err
		}
	}
	g, err := s.EndCapture()
	if err != nil {
		return err
	}
	defer keep(g)
	if err := errors.Join(s.Replay(g), s.Download(host, 0, x), s.Sync()); err != nil {
		return err
	}
	want := int32(2)
	if d.Caps().WhileNodes {
		want = 5
	}
	if got := kernel32(host.Bytes())[999]; got != want {
		return fmt.Errorf("the last element is %d, want %d", got, want)
	}
	return nil
}

// A capture that its owner has broken accepts no work. The error comes before anything is emitted.
func TestInvalidatedForeignCapture(t *testing.T) {
	e := start(t, 12080, 4)
	o := newOwner(t, e)
	d := openTest(t)
	main := o.newStream(1)
	s, x := adopt(t, d, main), view(t, d, 10)
	require.NoError(t, d.Load(kernels.Defs...))
	o.must("cuStreamBeginCapture", main, modeGlobal)
	require.NoError(t, increment(s, x))
	require.Equal(t, 900, e.Call("cuStreamSynchronize", main))
	require.Equal(t, backend.CaptureInvalidated, s.Capture())
	launches := e.Calls("cuLaunchKernel")
	for _, err := range []error{increment(s, x), s.Fill(x, 1), s.Sync(), s.BeginCapture(), s.Anchor(t),
		s.If(x, func(backend.Stream) error { return nil })} {
		require.Error(t, err)
	}
	require.ErrorIs(t, increment(s, x), backend.ErrCapture)
	require.Equal(t, launches, e.Calls("cuLaunchKernel"))
	require.Equal(t, 901, e.Call("cuStreamEndCapture", main, o.out()))
	require.Equal(t, backend.CaptureNone, s.Capture())
	require.NoError(t, increment(s, x))
	require.NoError(t, s.Sync())
	require.Equal(t, int32(1), get(t, d, x))
}

// The legacy stream accepts work, except while a blocking stream is being captured, because that would break the
// capture. The default stream of the calling thread is refused.
func TestLegacyStream(t *testing.T) {
	e := start(t, 12080, 5)
	o := newOwner(t, e)
	d := openTest(t)
	blocking := o.newStream(0)
	x := view(t, d, 10)
	require.NoError(t, d.Load(kernels.Defs...))
	for _, handle := range []uint64{0, 1} {
		s := adopt(t, d, handle)
		require.NoError(t, increment(s, x))
		o.must("cuStreamBeginCapture", blocking, modeRelaxed)
		require.ErrorIs(t, increment(s, x), backend.ErrCapture)
		require.Equal(t, backend.CaptureNone, s.Capture())
		status, _ := o.info(blocking)
		require.Equal(t, int32(1), status)
		graph, exec := o.end(blocking)
		o.destroy(graph, exec)
		require.NoError(t, s.Sync())
	}
	require.Equal(t, int32(2), get(t, d, x))
	_, err := d.AdoptStream(perThread)
	require.ErrorIs(t, err, backend.ErrInvalid, "it can be captured, and is another stream on each thread")
}

// Threads get back the context and the capture mode that they had before.
func TestThreadStateIsRestored(t *testing.T) {
	e := start(t, 12080, 6)
	d := openTest(t)
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	cell := emulator.NewCell(t)
	mode := uint64(modeThreadLocal)
	cell.Set(0, mode)
	require.Equal(t, 0, e.Call("cuThreadExchangeStreamCaptureMode", cell.Address(0)))
	require.NoError(t, churn(d))
	require.Equal(t, modeThreadLocal, e.Call("emulator_mode"))
	cell.Set(0, modeGlobal)
	require.Equal(t, 0, e.Call("cuThreadExchangeStreamCaptureMode", cell.Address(0)))

	require.Equal(t, 0, e.Call("emulator_stale_context"))
	require.NoError(t, churn(d), "on a thread whose context is that of a device that was closed")
}
