//go:build cgo && linux

package cuda

import (
	"errors"
	"fmt"
	"runtime"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/trackgen-go/trackgen/backend"
	"github.com/trackgen-go/trackgen/backend/backendtest/kernels"
	"github.com/trackgen-go/trackgen/backend/cuda/emulator"
	"github.com/trackgen-go/trackgen/backend/recorder"
)

// recorded makes a graph, which is closed at the end of the test.
func recorded(t testing.TB, s *recorder.Adoptable, emit func() error) backend.Graph {
	require.NoError(t, s.BeginCapture())
	require.NoError(t, emit())
	g, err := s.EndCapture()
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, g.Close()) })
	return g
}

// A graph of our own is captured, not built: the only nodes that are added are conditionals, and their bodies are
// captured too. All of this happens at the end of the capture.
func TestOwnGraphsAreCaptured(t *testing.T) {
	e := start(t, 12080, 20)
	d := openTest(t)
	s, x, flag := newStream(t, d), view(t, d, 10), view(t, d, 1)
	require.NoError(t, d.Load(kernels.Defs...))
	calls := func() [4]int {
		return [4]int{e.Calls("cuStreamBeginCapture"), e.Calls("cuStreamBeginCaptureToGraph"), e.Calls("cuStreamEndCapture"),
			e.Calls("cuGraphAddNode")}
	}
	before := calls()
	require.NoError(t, s.BeginCapture())
	require.NoError(t, errors.Join(increment(s, x), s.If(flag, func(in backend.Stream) error {
		return errors.Join(in.Fill(x, 1), in.If(flag, func(in backend.Stream) error { return in.Fill(x, 2) }))
	}), increment(s, x)))
	require.Equal(t, before, calls(), "before the end")
	g, err := s.EndCapture()
	require.NoError(t, err)
	after := calls()
	for i, more := range [4]int{1, 2, 3, 2} {
		after[i] -= more
	}
	require.Equal(t, before, after)
	require.NoError(t, g.Close())
}

// The graph of a capture with forks has exactly the edges that streams and events made, whatever the order of the
// calls. The start of a branch does not depend on operations that happen to be recorded before it.
func TestForksHaveNoFalseEdges(t *testing.T) {
	start(t, 12080, 21)
	d := openTest(t)
	s, side, fork, join := newStream(t, d), newStream(t, d), newEvent(t, d), newEvent(t, d)
	x, y, flag := view(t, d, 10), view(t, d, 10), view(t, d, 1)
	edges := func(emit func() error) int {
		text, err := DOT(recorded(t, s, emit))
		require.NoError(t, err)
		return strings.Count(text, "->")
	}
	require.Equal(t, 2, edges(func() error { // two chains of two operations
		return errors.Join(s.Record(fork), side.Wait(fork), increment(s, x), increment(side, y), increment(s, x),
			increment(side, y),
			side.Record(join), s.Wait(join))
	}))
	require.Equal(t, 5, edges(func() error { // a fork into a chain of two and one operation, and a join
		return errors.Join(increment(s, x), s.Record(fork), increment(s, x), increment(s, x), side.Wait(fork),
			increment(side, y),
			side.Record(join), s.Wait(join), s.Copy(x, y))
	}))
	require.Equal(t, 2,
		edges(func() error { // one launch beside a conditional, which follows its kernel and has a body of two
			return errors.Join(s.Record(fork), side.Wait(fork), increment(side, y),
				s.If(flag, func(in backend.Stream) error { return errors.Join(increment(in, x), increment(in, x)) }),
				side.Record(join), s.Wait(join))
		}))
}

// One capture has more conditionals than a pool of streams could have streams. The streams of bodies are reused, and
// none of them is capturing when it is.
func TestManyConditionals(t *testing.T) {
	withForeign(t, func(t *testing.T, o *owner, d *device, mode uint64) {
		if !d.Caps().CaptureConditionals {
			return
		}
		main := o.newStream(1)
		s, own, x, flag := adopt(t, d, main), newStream(t, d), view(t, d, 10), view(t, d, 1)
		const count = 100
		emit := func(s *recorder.Adoptable) error {
			for range count {
				if err := s.If(flag, func(in backend.Stream) error {
					return in.If(flag, func(in backend.Stream) error { return increment(in, x) })
				}); err != nil {
					return err
				}
			}
			return nil
		}
		streams := o.e.Calls("cuStreamCreate")
		g := recorded(t, own, func() error { return emit(own) })
		o.must("cuStreamBeginCapture", main, mode)
		require.NoError(t, emit(s))
		graph, exec := o.end(main)
		require.LessOrEqual(t, o.e.Calls("cuStreamCreate")-streams, 1+2, "a private stream, and one for each depth")
		for _, value := range []int32{0, 1} {
			set(t, d, flag, value)
			o.replay(exec, main)
			require.NoError(t, errors.Join(own.Replay(g), own.Sync()))
			require.Equal(t, 2*count*value, get(t, d, x))
		}
		o.destroy(graph, exec)
	})
}

// nest emits nested conditionals with one fill in the innermost.
func nest(s backend.Stream, flag, x backend.View, depth int) error {
	if depth == 0 {
		return s.Fill(x, 5)
	}
	return s.If(flag, func(in backend.Stream) error { return nest(in, flag, x, depth-1) })
}

// Conditionals may be nested up to a limit. Beyond it, an error names the limit before the driver is called.
func TestDepthOfConditionals(t *testing.T) {
	e := start(t, 12080, 22)
	o := newOwner(t, e)
	d := openTest(t)
	main := o.newStream(1)
	s, own, x, flag := adopt(t, d, main), newStream(t, d), view(t, d, 1), view(t, d, 1)
	deepest := recorded(t, own, func() error { return nest(own, flag, x, recorder.LimitsCUDA.Depth-1) })
	set(t, d, flag, 1)
	require.NoError(t, errors.Join(own.Replay(deepest), own.Sync()))
	require.Equal(t, int32(5), get(t, d, x))

	o.must("cuStreamBeginCapture", main, modeGlobal)
	require.NoError(t, own.BeginCapture())
	for _, s := range []*recorder.Adoptable{s, own} {
		err := s.If(flag, func(in backend.Stream) error {
			calls := e.Calls("")
			deep, replay := nest(in, flag, x, recorder.LimitsCUDA.Depth), in.Replay(deepest)
			require.Equal(t, calls, e.Calls(""))
			for _, err := range []error{deep, replay} {
				require.ErrorIs(t, err, backend.ErrInvalid)
				require.ErrorContains(t, err, fmt.Sprint(recorder.LimitsCUDA.Depth))
			}
			return deep
		})
		require.ErrorIs(t, err, backend.ErrInvalid)
	}
	require.NoError(t, s.Replay(deepest))
	g, err := own.EndCapture()
	require.NoError(t, err)
	require.Zero(t, g.Nodes())
	require.NoError(t, g.Close())
	graph, exec := o.end(main)
	set(t, d, x, 0)
	o.replay(exec, main)
	require.Equal(t, int32(5), get(t, d, x))
	o.destroy(graph, exec)
}

// Graphs of our own and captures of several owners are recorded at once, on separate threads. No two share a stream.
func TestRecordingAtOnce(t *testing.T) {
	for seed := range uint64(5) {
		e := start(t, 12080, seed)
		d := openTest(t)
		require.NoError(t, d.Load(kernels.Defs...))
		flag := view(t, d, 1)
		set(t, d, flag, 1)
		body := func(x backend.View) func(in backend.Stream) error {
			return func(in backend.Stream) error {
				return errors.Join(increment(in, x), in.If(flag, func(in backend.Stream) error { return increment(in, x) }))
			}
		}
		ours := func() {
			s, x := newStream(t, d), view(t, d, 10)
			g := recorded(t, s, func() error { return errors.Join(s.If(flag, body(x)), s.Repeat(flag, 3, body(x))) })
			errorsOf(t, errors.Join(s.Replay(g), s.Sync()))
			holds(t, d, x, 2+3*2)
		}
		theirs := func() {
			runtime.LockOSThread()
			defer runtime.UnlockOSThread()
			o := &owner{t: t, e: e, cell: emulator.NewCell(t)}
			o.must("cuDevicePrimaryCtxRetain", o.out(), 0)
			defer o.must("cuDevicePrimaryCtxRelease", 0)
			o.must("cuCtxSetCurrent", o.result())
			defer o.must("cuCtxSetCurrent", 0)
			main := uint64(newStream(t, d).Handle())
			s, x := adopt(t, d, main), view(t, d, 10)
			o.must("cuStreamBeginCapture", main, modeThreadLocal)
			errorsOf(t, errors.Join(s.If(flag, body(x)), s.If(flag, body(x))))
			graph, exec := o.end(main)
			o.replay(exec, main)
			holds(t, d, x, 4)
			o.destroy(graph, exec)
		}
		var group sync.WaitGroup
		for i := range 6 {
			group.Go(func() {
				for range 5 {
					if i%2 == 0 {
						ours()
					} else {
						theirs()
					}
				}
			})
		}
		group.Wait()
	}
}

// The streams of bodies are destroyed when no capture of others is open any more, even if the device is closed before.
func TestBodyStreamsOutliveTheCapture(t *testing.T) {
	e := start(t, 12080, 24)
	o := newOwner(t, e)
	d := openDevice(t)
	main := o.newStream(1)
	s, err := d.AdoptStream(uintptr(main))
	require.NoError(t, err)
	b, err := d.Alloc(400)
	require.NoError(t, err)
	x := backend.View{Buffer: b, Bytes: 4}
	require.NoError(t, errors.Join(d.DefaultStream().Fill(x, 1), d.DefaultStream().Sync()))
	o.must("cuStreamBeginCapture", main, modeGlobal)
	require.NoError(t, s.If(x, func(in backend.Stream) error { return in.Fill(x, 2) }))
	e.FailNext("cuStreamEndCapture", 999) // causes the lane to be given up
	err = s.If(x, func(in backend.Stream) error { return nest(in, x, x, 1) })
	require.ErrorContains(t, err, "cuStreamEndCapture")
	require.ErrorContains(t, err, "must not be run")
	require.NoError(t, errors.Join(b.Close(), s.Close(), d.Close()))
	destroyed := e.Calls("cuStreamDestroy")
	status, _ := o.info(main)
	require.Equal(t, int32(1), status)
	graph, exec := o.end(main)
	o.destroy(graph, exec)
	reap()
	orphans.sweep()
	require.Equal(t, destroyed+2+3, e.Calls("cuStreamDestroy"), "two of the device, and a private and two body streams")
}

// Another thread breaks captures of somebody else in global mode again and again, during any of our calls. We report
// it, leave no capture of a body open and break no body, which would crash the process with current drivers.
func TestCapturesBrokenMeanwhile(t *testing.T) {
	e := start(t, 12080, 26)
	o := newOwner(t, e)
	d := openTest(t)
	main := o.newStream(1)
	s, x, flag := adopt(t, d, main), view(t, d, 10), view(t, d, 1)
	require.NoError(t, d.Load(kernels.Defs...))
	stop := make(chan struct{})
	var group sync.WaitGroup
	group.Go(func() {
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		vandal := &owner{t: t, e: e, cell: emulator.NewCell(t)}
		vandal.must("cuDevicePrimaryCtxRetain", vandal.out(), 0)
		defer vandal.must("cuDevicePrimaryCtxRelease", 0)
		vandal.must("cuCtxSetCurrent", vandal.result())
		defer vandal.must("cuCtxSetCurrent", 0)
		for {
			select {
			case <-stop:
				return
			default:
			}
			if e.Call("cuMemAlloc", vandal.out(), 64) == 0 {
				for e.Call("cuMemFree", vandal.result()) != 0 { // until no capture forbids it
				}
			}
		}
	})
	broken, all := 0, 0
	for ; broken < 30 && all < 5000; all++ {
		o.must("cuStreamBeginCapture", main, modeGlobal)
		err := s.If(flag, func(in backend.Stream) error {
			return errors.Join(increment(in, x), in.If(flag, func(in backend.Stream) error { return increment(in, x) }))
		})
		code := e.Call("cuStreamEndCapture", main, o.out())
		if err != nil {
			require.ErrorIs(t, err, backend.ErrCapture)
			require.Equal(t, 901, code)
		}
		if code == 901 {
			broken++
			continue
		}
		require.Zero(t, code)
		o.must("cuGraphDestroy", o.result())
	}
	close(stop)
	group.Wait()
	require.NotContains(t, e.Live(), "captures")
	t.Logf("%d of %d captures were broken", broken, all)
}

// A change of the current stream makes no driver call: waiting would break a capture.
func TestCurrentStreamAsksNothing(t *testing.T) {
	e := start(t, 12080, 25)
	d := openTest(t)
	s := newStream(t, d)
	calls := e.Calls("")
	require.NoError(t, errors.Join(d.SetCurrentStream(s), d.SetCurrentStream(nil)))
	require.Equal(t, calls, e.Calls(""))
}

// holds fails the test if a buffer does not hold a value.
func holds(t testing.TB, d *device, x backend.View, want int32) {
	if got := get(t, d, x); got != want {
		t.Errorf("the buffer holds %d, want %d", got, want)
	}
}

// Each call fails once while a graph of our own with forks, a conditional in a loop and copies from and to the host is
// recorded. The error names the call, no capture is left open, nothing is left of the graph, and the same device then
// records the graph without error.
func TestEveryCallFailsOnceInRecording(t *testing.T) {
	runtime.LockOSThread() // on another thread there would be additional calls, for the context
	defer runtime.UnlockOSThread()
	e := start(t, 12080, 23)
	d := openTest(t)
	s, side, fork, join := newStream(t, d), newStream(t, d), newEvent(t, d), newEvent(t, d)
	x, y, flag, host := view(t, d, 10), view(t, d, 10), view(t, d, 1), hostOf(t, d, 40)
	require.NoError(t, d.Load(kernels.Defs...))
	record := func() {
		require.NoError(t, s.BeginCapture())
		require.NoError(t, errors.Join(s.Record(fork), side.Wait(fork), s.Fill(x, 0), side.Upload(y, host, 0),
			increment(side, y),
			s.Repeat(flag, 2, func(in backend.Stream) error {
				return errors.Join(increment(in, x), in.If(flag, func(in backend.Stream) error { return increment(in, x) }))
			}),
			side.Record(join), s.Wait(join), s.Copy(x, y), s.Download(host, 0, x)))
	}
	seen := make(map[string]bool)
	for k := 0; ; k++ {
		record()
		e.FailAt(k, 999)
		g, err := s.EndCapture()
		call := e.Failed()
		e.FailAt(-1, 0)
		require.NotContains(t, e.Live(), "captures", "call %d, %s", k, call)
		if call == "" {
			require.NoError(t, err)
			require.NoError(t, errors.Join(s.Replay(g), s.Sync(), g.Close()))
			break
		}
		seen[call] = true
		require.ErrorContains(t, err, call, "call %d", k)
		require.Equal(t, backend.CaptureNone, s.Capture())
		require.Nil(t, g)
		require.NotContains(t, e.Live(), "graphs", "call %d, %s", k, call)
		require.NotContains(t, e.Live(), "executables", "call %d, %s", k, call)
	}
	for _, call := range []string{"cuStreamCreate", "cuStreamBeginCapture", "cuStreamUpdateCaptureDependencies",
		"cuStreamGetCaptureInfo",
		"cuGraphConditionalHandleCreate", "cuLaunchKernel", "cuGraphAddNode", "cuStreamBeginCaptureToGraph",
		"cuMemcpyHtoDAsync",
		"cuMemcpyDtoDAsync", "cuMemcpyDtoHAsync", "cuMemsetD32Async", "cuStreamEndCapture", "cuGraphInstantiateWithParams",
		"cuGraphUpload", "cuStreamSynchronize"} {
		require.Contains(t, seen, call)
	}
	require.Equal(t, int32(1), kernel32(host.Bytes())[0])
}
