//go:build cgo && linux

package trackgen_test

import (
	"fmt"
	"runtime"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/trackgen-go/trackgen/backend/cuda/emulator"
)

// torch is a library in the same process that calls the CUDA driver on its own, on the thread of the test.
type torch struct {
	driver                    *emulator.Emulator
	cell                      emulator.Cell // of results
	stream, graph, executable uint64
	replays                   int
}

func (l *torch) call(name string, arguments ...uint64) error {
	if code := l.driver.Call(name, arguments...); code != 0 {
		return fmt.Errorf("%s failed with %d", name, code)
	}
	return nil
}

func (l *torch) Stream() uintptr     { return uintptr(l.stream) }
func (l *torch) BeginCapture() error { return l.call("cuStreamBeginCapture", l.stream, 0) }

func (l *torch) EndCapture() error {
	if err := l.call("cuStreamEndCapture", l.stream, l.cell.Address(0)); err != nil {
		return err
	}
	l.graph = l.cell.Word(0)
	for i := 4; i < 8; i++ { // the parameters of the instantiation
		l.cell.Set(i, 0)
	}
	err := l.call("cuGraphInstantiateWithParams", l.cell.Address(0), l.graph, l.cell.Address(4))
	l.executable = l.cell.Word(0)
	return err
}

func (l *torch) Replay() error {
	l.replays++
	if err := l.call("cuGraphLaunch", l.executable, l.stream); err != nil {
		return err
	}
	return l.call("cuStreamSynchronize", l.stream)
}

func (l *torch) DestroyGraph() error {
	if err := l.call("cuGraphExecDestroy", l.executable); err != nil {
		return err
	}
	return l.call("cuGraphDestroy", l.graph)
}

// The example of a foreign capture works, with a library that captures through the (emulated) driver.
func TestForeignCapture(t *testing.T) {
	driver := emulator.Start(t, 12040, 1)
	for _, area := range []string{"centerline", "inflation", "relaxation", "seeding", "selection"} {
		driver.LoadKernels(t, "kernels/"+area+"/kernel_generated.cu")
	}
	runtime.LockOSThread() // the context of the library is current on one thread
	defer runtime.UnlockOSThread()
	library := &torch{driver: driver, cell: emulator.NewCell(t)}
	require.NoError(t, library.call("cuInit", 0))
	require.NoError(t, library.call("cuDevicePrimaryCtxRetain", library.cell.Address(0), 0))
	require.NoError(t, library.call("cuCtxSetCurrent", library.cell.Word(0)))
	require.NoError(t, library.call("cuStreamCreate", library.cell.Address(0), 1))
	library.stream = library.cell.Word(0)

	epochs, err := trainWithin(t.Context(), library, [][]int32{{0, 1, 0, 0}, {0, 0, 0, 0}, {0, 1, 0, 1}})
	require.NoError(t, err)
	assert.Equal(t, []int32{0, 2, 0, 1}, epochs)
	assert.Equal(t, 3, library.replays)

	require.NoError(t, library.call("cuStreamDestroy", library.stream))
	require.NoError(t, library.call("cuCtxSetCurrent", 0))
	require.NoError(t, library.call("cuDevicePrimaryCtxRelease", 0))
	assert.Empty(t, driver.Complaint(), "of a mistake of any user of the driver")
	assert.Empty(t, driver.Live())
}
