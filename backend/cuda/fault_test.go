//go:build cgo && linux

package cuda

import (
	"errors"
	"fmt"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/trackgen-go/trackgen/backend"
	"github.com/trackgen-go/trackgen/backend/backendtest/kernels"
	"github.com/trackgen-go/trackgen/backend/recorder"
)

// scenario opens a device, uses all its functions and closes it. It returns the first error.
func scenario() (err error) {
	opened, err := backend.Open("cuda:0")
	if err != nil {
		return err
	}
	d := opened.(*device)
	defer func() { err = errors.Join(err, d.Close()) }()
	return churn(d)
}

// unanswered are calls whose failure causes no error: only a detail of another error is missing, or a hint.
var unanswered = map[string]bool{
	"cuMemGetInfo": true, // the available memory, for the error of an allocation
	"cuOccupancyMaxActiveBlocksPerMultiprocessor": true,
	"cuFuncSetAttribute":                          true,
}

// Each call of the driver fails once while a device is opened, used and closed. Each time, the error names the call and
// matches the kind of its code, nothing is left in the driver, and the next device works.
func TestEveryCallFailsOnce(t *testing.T) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	for _, code := range []int{999, codeOutOfMemory, 700} {
		e := start(t, 12080, 7)
		require.NoError(t, scenario())
		seen := make(map[string]bool)
		fails := func(call string, err error, what string) {
			seen[call] = true
			if !unanswered[call] {
				require.Error(t, err, what)
				if code == codeOutOfMemory && (call == "cuMemAlloc" || call == "cuMemHostAlloc") {
					require.ErrorIs(t, err, backend.ErrOutOfMemory)
				}
				require.ErrorContains(t, err, call, what)
				var failed *Error
				require.ErrorAs(t, err, &failed, what)
				require.Equal(t, code, failed.Code)
				require.NotEmpty(t, failed.Op)
				if kind := kindOf(code); kind != nil {
					require.ErrorIs(t, err, kind)
				}
			}
			orphans.sweep()
			require.Empty(t, e.Live(), "after %s failed: %v", what, err)
			require.Equal(t, modeGlobal, e.Call("emulator_mode"))
		}
		for k := 0; ; k++ {
			require.Equal(t, 0, e.Call("cuCtxSetCurrent", 0))
			e.FailAt(k, code)
			err := scenario()
			call := e.Failed()
			if call == "" { // there were not that many calls
				e.FailAt(-1, 0)
				require.NoError(t, err)
				require.Greater(t, k, 100)
				break
			}
			fails(call, err, fmt.Sprintf("call %d, %s", k, call))
		}
		// The number of calls depends on how many threads compile, so that those at the end may have been left out.
		for _, call := range []string{"cuModuleUnload", "cuStreamDestroy", "cuDevicePrimaryCtxRelease"} {
			e.FailNext(call, code)
			err := scenario()
			require.Equal(t, call, e.Failed())
			fails(call, err, call)
		}
		require.NoError(t, scenario())
		for _, call := range []string{"cuInit", "cuCtxSetCurrent", "cuModuleLoadDataEx", "cuLaunchKernel", "cuGraphAddNode",
			"cuGraphInstantiateWithParams", "cuGraphLaunch", "cuStreamSynchronize", "cuMemFree", "cuDevicePrimaryCtxRelease",
			"cuPointerGetAttributes",
			"cuThreadExchangeStreamCaptureMode", "cuGraphConditionalHandleCreate", "cuStreamBeginCapture",
			"cuStreamBeginCaptureToGraph",
			"cuStreamUpdateCaptureDependencies", "cuStreamEndCapture"} {
			require.Contains(t, seen, call)
		}
	}
}

// Each call fails once while work is emitted into a capture of somebody else. The error names the call, no capture of
// ours is left open, their capture stays active and accepts the next conditional, and nothing is left afterwards.
func TestEveryCallFailsOnceInForeignCapture(t *testing.T) {
	e := start(t, 12080, 8)
	o := newOwner(t, e)
	main := o.newStream(1)
	live := e.Live()
	seen := make(map[string]bool)
	for k := 0; ; k++ {
		d := openDevice(t)
		require.NoError(t, d.Load(kernels.Defs...))
		b, err := d.Alloc(400)
		require.NoError(t, err)
		x, flag := backend.View{Buffer: b, Bytes: 400}, backend.View{Buffer: b, Bytes: 4}
		s, err := d.AdoptStream(uintptr(main))
		require.NoError(t, err)
		o.must("cuStreamBeginCapture", main, modeGlobal)
		e.FailAt(k, 999)
		err = errors.Join(increment(s, x), s.Anchor(d), s.If(flag, func(in backend.Stream) error {
			return errors.Join(increment(in, x), in.If(flag, func(in backend.Stream) error { return in.Fill(x, 1) }))
		}), s.(*recorder.Adoptable).Repeat(flag, 2, func(in backend.Stream) error { return increment(in, x) }))
		call := e.Failed()
		e.FailAt(-1, 0)
		if call != "" {
			require.ErrorContains(t, err, call, "call %d", k)
			var failed *Error
			require.ErrorAs(t, err, &failed)
			seen[call] = true
		}
		require.Contains(t, e.Live(), "1 captures", "call %d, %s", k, call)
		require.NoError(t, s.If(flag, func(in backend.Stream) error { return nest(in, flag, x, 1) }), "call %d, %s", k, call)
		status, _ := o.info(main)
		require.Equal(t, int32(1), status, "call %d, %s: the capture is not active", k, call)
		o.must("cuStreamEndCapture", main, o.out())
		o.must("cuGraphDestroy", o.result())
		require.NoError(t, errors.Join(b.Close(), s.Close(), d.Close()))
		orphans.sweep()
		reap()
		orphans.sweep()
		require.Equal(t, live, e.Live(), "after call %d, %s, failed", k, call)
		if call == "" {
			require.NoError(t, err)
			require.Greater(t, k, 30)
			break
		}
	}
	for _, call := range []string{"cuStreamCreate", "cuGraphConditionalHandleCreate", "cuGraphAddNode",
		"cuStreamUpdateCaptureDependencies",
		"cuStreamBeginCaptureToGraph", "cuLaunchKernel", "cuMemsetD32Async", "cuStreamEndCapture", "cuUserObjectCreate"} {
		require.Contains(t, seen, call)
	}
}

// A device whose context is lost reports the loss from then on. Closing it releases the context, whatever is still
// open, although every call that releases a resource fails.
func TestDeviceLost(t *testing.T) {
	e := start(t, 12080, 9)
	d := openDevice(t)
	b, err := d.Alloc(40)
	require.NoError(t, err)
	x := backend.View{Buffer: b, Bytes: 40}
	_, err = d.NewStream() // left open, as the memory and the graph are
	require.NoError(t, err)
	_, err = d.Alloc(4)
	require.NoError(t, err)
	require.NoError(t, d.DefaultStream().BeginCapture())
	require.NoError(t, increment(d.DefaultStream(), x))
	graph, err := d.DefaultStream().EndCapture()
	require.NoError(t, err)
	require.NoError(t, d.DefaultStream().Replay(graph))
	require.NoError(t, d.DefaultStream().Sync())
	lostMemory := b.(*recorder.Buffer).Memory().(*memory).address
	require.Equal(t, 0, onThread(e, "cuMemFree", lostMemory)) // without the device knowing
	require.Error(t, errors.Join(increment(d.DefaultStream(), x), d.DefaultStream().Sync()))
	require.ErrorIs(t, d.DefaultStream().Sync(), backend.ErrDeviceLost)
	require.ErrorIs(t, d.DefaultStream().Fill(x, 1), backend.ErrDeviceLost)
	_, err = d.Alloc(4)
	require.ErrorIs(t, err, backend.ErrDeviceLost)
	require.NoError(t, b.Close(), "the graph keeps its memory")
	err = d.Close()
	require.ErrorIs(t, err, backend.ErrDeviceLost)
	require.ErrorIs(t, err, backend.ErrLeak, "it lists what was open")
	require.NotEmpty(t, e.Complaint())
	require.Empty(t, e.Live(), "the lost context is released, and all that it held is gone with it")
	require.NoError(t, d.Close(), "it is closed")
	again := openDevice(t) // in a new context
	memory, err := again.Alloc(40)
	require.NoError(t, err)
	require.NoError(t, increment(again.DefaultStream(), backend.View{Buffer: memory, Bytes: 40}))
	require.NoError(t, again.DefaultStream().Sync())
	require.NoError(t, errors.Join(memory.Close(), again.Close()))
}

// The message of a failure contains the operation, the call that failed and the reason.
func TestErrorMessage(t *testing.T) {
	e := start(t, 12080, 10)
	d := openTest(t)
	e.FailNext("cuStreamCreate", 999)
	_, err := d.NewStream()
	require.EqualError(t, err, "cuda:0: new stream: cuStreamCreate failed with 999 (CUDA_ERROR_UNKNOWN)")
	bad := kernels.StampDef
	module := *bad.Module
	module.PTX = strings.Replace(module.PTX, ".version", ".vrsion", 1)
	bad.Module = &module
	err = d.Load(&bad)
	require.ErrorContains(t, err, module.Name)
	require.ErrorContains(t, err, "ptxas fatal", "the log of the driver's compiler")
	bad = kernels.StampDef
	bad.Entry = "k_other"
	require.ErrorContains(t, d.Load(&bad), "cuModuleGetFunction failed with 500")
}
