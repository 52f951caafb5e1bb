//go:build cgo && linux

package cuda

import (
	"errors"
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
	waiting(t, e, 1)
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
	require.Equal(t, 1, e.Waiting())
	e.Hold("")
	group.Wait()
	require.NoError(t, loaded)
}

// captured makes a graph.
func captured(s backend.Stream, emit func() error) (backend.Graph, error) {
	if err := s.BeginCapture(); err != nil {
		return nil, err
	}
	emitted := emit()
	g, err := s.EndCapture()
	return g, errors.Join(emitted, err)
}

// A module that several calls need at once is compiled once, and the modules of one call are compiled together.
func TestModulesAreCompiledOnceAndTogether(t *testing.T) {
	e := start(t, 12080, 1)
	loadKernels(t, e, "../../kernels/seeding")
	loadKernels(t, e, "../../kernels/selection")
	d := openTest(t)
	defs := append(append([]*kernel.Def(nil), seeding.Defs...), selection.Defs...)
	before := e.Calls(compile)
	e.Hold(compile)
	defer e.Hold("")
	const callers = 4
	failures := make([]error, callers)
	var group sync.WaitGroup
	for i := range callers {
		group.Go(func() { failures[i] = d.Load(defs...) })
	}
	waiting(t, e, 2)
	time.Sleep(10 * time.Millisecond) // a second compilation of a module would show now, or in the count below
	require.Equal(t, 2, e.Waiting())
	e.Hold("")
	group.Wait()
	require.NoError(t, errors.Join(failures...))
	require.Equal(t, before+2, e.Calls(compile))
	require.NoError(t, d.Load(defs...))
	require.Equal(t, before+2, e.Calls(compile))
}

// If the driver refuses a module, those who wait for it get the error, and the next call tries again.
func TestModuleThatFails(t *testing.T) {
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
	require.Equal(t, "load "+kernels.Defs[0].Module.Name, failed.Op)
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
