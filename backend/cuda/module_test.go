//go:build cgo && linux

package cuda

import (
	std "context"
	"errors"
	"runtime"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/trackgen-go/trackgen/backend"
	"github.com/trackgen-go/trackgen/backend/backendtest/kernels"
	"github.com/trackgen-go/trackgen/backend/cuda/emulator"
	"github.com/trackgen-go/trackgen/kernel"
	"github.com/trackgen-go/trackgen/kernels/seeding"
	"github.com/trackgen-go/trackgen/kernels/selection"
)

const compile = "cuModuleLoadDataEx"

// patience is how long a test waits for something that should happen at once.
const patience = 20 * time.Second

// waiting waits until calls of the driver are held.
func waiting(t *testing.T, e *emulator.Emulator, calls int) {
	require.Eventually(t, func() bool { return e.Waiting() == calls }, patience, time.Millisecond)
}

// While the driver compiles a module, everything else of the device goes on.
func TestNothingWaitsForTheCompiler(t *testing.T) {
	e := start(t, 12080, 1)
	d := openTest(t)
	s, flag, other := newStream(t, d), view(t, d, 1), view(t, d, 10)
	e.Hold(compile)
	defer e.Hold("")
	var loaded error
	var group sync.WaitGroup
	group.Go(func() { loaded = d.Load(kernels.Defs...) })
	waiting(t, e, compilers(len(kernels.Defs)))
	done := make(chan error, 1)
	go func() {
		b, err := d.Alloc(64)
		if err == nil {
			err = b.Close()
		}
		g, captured := captured(s, func() error {
			return errors.Join(s.Fill(other, 1), s.If(flag, func(in backend.Stream) error { return in.Fill(other, 2) }))
		})
		if captured == nil {
			captured = errors.Join(s.Replay(g), s.Sync(), g.Close())
		}
		done <- errors.Join(err, captured)
	}()
	select {
	case err := <-done:
		require.NoError(t, err)
	case <-time.After(patience):
		e.Hold("")
		<-done
		t.Error("an allocation or a capture waits for the compiler")
	}
	require.Equal(t, compilers(len(kernels.Defs)), e.Waiting())
	e.Hold("")
	group.Wait()
	require.NoError(t, loaded)
}

// compilers returns how many of a number of kernels the driver compiles at the same time.
func compilers(kernels int) int { return min(kernels, runtime.GOMAXPROCS(0)) }

// captured makes a graph.
func captured(s backend.Stream, emit func() error) (backend.Graph, error) {
	if err := s.BeginCapture(); err != nil {
		return nil, err
	}
	emitted := emit()
	g, err := s.EndCapture()
	return g, errors.Join(emitted, err)
}

// A kernel that several calls need at once is compiled once, and the kernels of one call are compiled together.
func TestKernelsAreCompiledOnceAndTogether(t *testing.T) {
	e := start(t, 12080, 1)
	loadKernels(t, e, "../../kernels/seeding")
	loadKernels(t, e, "../../kernels/selection")
	d := openTest(t)
	defs := append(append([]*kernel.Def(nil), seeding.Defs...), selection.Defs...)
	before := e.Calls(compile)
	e.Hold(compile)
	defer e.Hold("")
	const callers = 20
	failures := make([]error, callers)
	var group sync.WaitGroup
	for i := range callers {
		group.Go(func() {
			if i%2 == 0 {
				failures[i] = d.Load(defs...)
			} else {
				failures[i] = d.Prepare(defs[i])
			}
		})
	}
	waiting(t, e, compilers(len(defs)))
	time.Sleep(10 * time.Millisecond) // a second compilation of a kernel would show now, or in the count below
	require.Equal(t, compilers(len(defs)), e.Waiting())
	e.Hold("")
	group.Wait()
	require.NoError(t, errors.Join(failures...))
	require.Equal(t, before+len(defs), e.Calls(compile))
	require.NoError(t, d.Load(defs...))
	require.Equal(t, before+len(defs), e.Calls(compile))
}

// A program pays for the kernels that it uses, not for others of their package.
func TestOnlyUsedKernelsAreCompiled(t *testing.T) {
	e := start(t, 12080, 1)
	d := openTest(t)
	x := view(t, d, 10)
	before := e.Calls(compile)
	require.NoError(t, increment(d.DefaultStream(), x))
	require.Equal(t, before+1, e.Calls(compile))
	require.NoError(t, d.Load(incrementDef))
	require.Equal(t, before+1, e.Calls(compile))
}

// A launch of a loaded kernel, also into a capture of somebody else, does not wait for the compiler, and nothing is
// loaded in the capture.
func TestLaunchBesideTheCompiler(t *testing.T) {
	e := start(t, 12080, 1)
	o := newOwner(t, e)
	d := openTest(t)
	require.NoError(t, d.Load(incrementDef))
	main := o.newStream(1)
	s, x := adopt(t, d, main), view(t, d, 1)
	e.Hold(compile)
	defer e.Hold("")
	var group sync.WaitGroup
	group.Go(func() { _ = d.Load(kernels.Defs...) })
	waiting(t, e, compilers(len(kernels.Defs)))
	require.NoError(t, increment(s, x))
	o.must("cuStreamBeginCapture", main, modeGlobal)
	require.NoError(t, increment(s, x))
	e.Hold("")
	group.Wait() // the compiler ends while somebody captures in global mode
	status, _ := o.info(main)
	require.Equal(t, int32(1), status)
	o.must("cuStreamEndCapture", main, o.out())
	o.must("cuGraphDestroy", o.result())
}

// Close of the device does not wait for the compiler. Those who wait for it get ErrClosed, and the context goes when
// the driver's compiler has returned.
func TestDeviceClosesWhileTheCompilerRuns(t *testing.T) {
	e := start(t, 12080, 1)
	d := openDevice(t)
	e.Hold(compile)
	defer e.Hold("")
	failures := make(chan error, 3)
	go func() { failures <- d.Load(kernels.Defs...) }()
	go func() { failures <- d.Prepare(kernels.Defs[0]) }()
	go func() { failures <- d.Prepare(incrementDef) }()
	waiting(t, e, compilers(len(kernels.Defs)))
	closed := make(chan error, 1)
	go func() { closed <- d.Close() }()
	for range cap(failures) {
		select {
		case err := <-failures:
			require.ErrorIs(t, err, backend.ErrClosed)
		case <-time.After(patience):
			t.Fatal("a call waits for the compiler of a closed device")
		}
	}
	select {
	case err := <-closed:
		require.NoError(t, err)
	case <-time.After(patience):
		t.Fatal("Close waits for the compiler")
	}
	require.ErrorIs(t, d.Load(incrementDef), backend.ErrClosed)
	require.Contains(t, e.Live(), "context references")
	running := e.Calls(compile)
	e.Hold("")
	require.Eventually(t, func() bool { return e.Live() == "" }, patience, time.Millisecond)
	require.LessOrEqual(t, e.Calls(compile), running+compilers(len(kernels.Defs)), "what had not begun never does")
	again := openDevice(t)
	require.NoError(t, errors.Join(again.Load(incrementDef), again.Close()))
}

// A context ends the wait. What is being compiled is ready later, and what had not begun is not compiled.
func TestContextEndsTheWait(t *testing.T) {
	e := start(t, 12080, 1)
	d := openTest(t)
	before := e.Calls(compile)
	e.Hold(compile)
	defer e.Hold("")
	ctx, cancel := std.WithCancelCause(t.Context())
	done := make(chan error, 1)
	go func() { done <- backend.LoadContext(ctx, d, kernels.Defs...) }()
	waiting(t, e, compilers(len(kernels.Defs)))
	why := errors.New("no more time")
	cancel(why)
	select {
	case err := <-done:
		require.ErrorIs(t, err, why)
		require.ErrorContains(t, err, "cuda:0")
	case <-time.After(patience):
		t.Fatal("the wait does not end")
	}
	require.ErrorIs(t, backend.LoadContext(ctx, d, incrementDef), why)
	e.Hold("")
	require.NoError(t, d.Load(kernels.Defs[0]))
	require.LessOrEqual(t, e.Calls(compile), before+compilers(len(kernels.Defs))+2)
	require.NoError(t, backend.LoadContext(t.Context(), d, kernels.Defs...))
	require.Equal(t, before+len(kernels.Defs), e.Calls(compile), "each once")
}

// If the driver refuses a kernel, those who wait for it get the error, and the next call tries again.
func TestKernelThatFails(t *testing.T) {
	e := start(t, 12080, 1)
	loadKernels(t, e, "../../kernels/seeding")
	d := openTest(t)
	e.FailNext(compile, codeInvalidPTX)
	e.Hold(compile)
	defer e.Hold("")
	failures := make([]error, 2)
	var group sync.WaitGroup
	for i := range failures {
		group.Go(func() { failures[i] = d.Prepare(seeding.Defs[0]) })
	}
	waiting(t, e, 1)
	e.Hold("")
	group.Wait()
	var failed *Error
	require.ErrorAs(t, errors.Join(failures...), &failed)
	require.Equal(t, compile, failed.Call)
	require.Equal(t, codeInvalidPTX, failed.Code)
	require.NoError(t, d.Load(seeding.Defs...))

	e.FailNext(compile, codeInvalidPTX)
	require.ErrorAs(t, d.Load(kernels.Defs...), &failed)
	require.Contains(t, failed.Op, "load kernel k_")
	require.Contains(t, failed.Op, kernels.Defs[0].Module.Name)
	require.NoError(t, d.Load(kernels.Defs...))
}

// A nil kernel is refused before anything is compiled.
func TestLoadNil(t *testing.T) {
	e := start(t, 12080, 1)
	d := openTest(t)
	before := e.Calls(compile)
	require.ErrorIs(t, d.Load(nil, kernels.Defs[0]), backend.ErrInvalid)
	require.Equal(t, before, e.Calls(compile))
}
