//go:build cgo && linux

package interop_test

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/trackgen-go/trackgen/backend"
	"github.com/trackgen-go/trackgen/backend/backendtest/kernels"
	_ "github.com/trackgen-go/trackgen/backend/cuda"
	"github.com/trackgen-go/trackgen/backend/cuda/emulator"
	"github.com/trackgen-go/trackgen/exec"
	"github.com/trackgen-go/trackgen/interop"
)

// torch is a library in the same process that uses the driver directly, on the thread of the test.
type torch struct {
	t      testing.TB
	e      *emulator.Emulator
	cell   emulator.Cell
	device backend.Device // ours, whose wrapper of a stream goes before the stream
}

// openCUDA opens the emulated driver, a user of it, and our device.
func openCUDA(t testing.TB, version int) (*torch, backend.Device) {
	t.Helper()
	e := emulator.Start(t, version, 1)
	e.LoadKernels(t, "../backend/backendtest/kernels/kernel_generated.cu")
	runtime.LockOSThread()
	user := &torch{t: t, e: e, cell: emulator.NewCell(t)}
	device, err := backend.Open("cuda:0")
	require.NoError(t, err)
	user.device = device
	user.must("cuDevicePrimaryCtxRetain", user.cell.Address(0), 0)
	user.must("cuCtxSetCurrent", user.cell.Word(0))
	t.Cleanup(func() {
		require.NoError(t, interop.Release(device))
		require.NoError(t, device.Close())
		user.must("cuCtxSetCurrent", 0)
		user.must("cuDevicePrimaryCtxRelease", 0)
		runtime.UnlockOSThread()
		if !t.Failed() {
			require.Empty(t, e.Complaint())
		}
	})
	require.NoError(t, device.Load(kernels.Defs...))
	return user, device
}

func (u *torch) must(name string, arguments ...uint64) {
	u.t.Helper()
	require.Equal(u.t, 0, u.e.Call(name, arguments...), name)
}

func (u *torch) stream() uint64 {
	u.must("cuStreamCreate", u.cell.Address(0), 1)
	s := u.cell.Word(0)
	u.t.Cleanup(func() {
		require.NoError(u.t, interop.Release(u.device))
		u.must("cuStreamDestroy", s)
	})
	return s
}

func (u *torch) event() uint64 {
	u.must("cuEventCreate", u.cell.Address(0), 2)
	e := u.cell.Word(0)
	u.t.Cleanup(func() { u.must("cuEventDestroy", e) })
	return e
}

// identity returns the identity of the capture of a stream.
func (u *torch) identity(s uint64) uint64 {
	a := u.cell.Address
	u.must("cuStreamGetCaptureInfo", s, a(1), a(2), a(3), a(4), a(5), a(6))
	require.Equal(u.t, int32(1), int32(u.cell.Word(1)), "the capture is live")
	return u.cell.Word(2)
}

// end ends a capture and returns the graph and what it instantiates.
func (u *torch) end(s uint64) (graph, executable uint64) {
	u.must("cuStreamEndCapture", s, u.cell.Address(0))
	graph = u.cell.Word(0)
	for i := 4; i < 8; i++ {
		u.cell.Set(i, 0)
	}
	u.must("cuGraphInstantiateWithParams", u.cell.Address(0), graph, u.cell.Address(4))
	return graph, u.cell.Word(0)
}

func (u *torch) replay(executable, s uint64) {
	u.must("cuGraphLaunch", executable, s)
	u.must("cuStreamSynchronize", s)
}

func (u *torch) destroy(graph, executable uint64) {
	u.must("cuGraphDestroy", graph)
	u.must("cuGraphExecDestroy", executable)
}

// increment adds one to each element.
func increment(lc *exec.LaunchContext, a exec.Array[int32]) {
	l := lc.Prepare(&kernels.IncrementDef, a.Len())
	exec.Bind(l, a)
	l.Launch()
}

// modes are the driver's numbers of the capture modes.
var modes = map[exec.ForeignMode]uint64{exec.ForeignGlobal: 0, exec.ForeignThreadLocal: 1, exec.ForeignRelaxed: 2}

// Producers are recorded into a capture that somebody else has begun through the driver, while a fork of theirs is
// outstanding: unconditionally without the opt-in, and under device conditionals with it. Its identity does not change.
func TestCUDAForeignCapture(t *testing.T) { // R118a, R118f, R118i, R24, R28, D2
	for mode, number := range modes {
		for _, conditional := range []bool{false, true} {
			t.Run(fmt.Sprintf("%v, conditional %v", mode, conditional), func(t *testing.T) {
				user, device := openCUDA(t, 12040)
				main, side := user.stream(), user.stream()
				fork, join := user.event(), user.event()
				flag, value, loops := newArray(t, device, int32(0)), newArray(t, device, int32(0)), newArray(t, device, int32(0))
				body := func(lc *exec.LaunchContext) {
					got := exec.SkipUnless(lc, flag, func(lc *exec.LaunchContext) { increment(lc, value) })
					assert.Equal(t, conditional, got)
					exec.BoundedLoop(lc, 3, func(lc *exec.LaunchContext, _ int) { increment(lc, loops) },
						exec.LoopOptions{Active: flag})
				}
				runner, err := exec.NewGraphRunner(device, exec.RunnerOptions{Capturable: true})
				require.NoError(t, err)
				defer func() { require.NoError(t, runner.Close()) }()

				user.must("cuStreamBeginCapture", main, number)
				identity := user.identity(main)
				user.must("cuEventRecord", fork, main)
				user.must("cuStreamWaitEvent", side, fork, 0)
				ctx, registration, err := interop.Register(t.Context(), device, uintptr(main), interop.Options{Mode: mode, Conditional: conditional})
				require.NoError(t, err)
				assert.True(t, registration.InForce())
				_, err = runner.Run(ctx, body, exec.RunOptions{Sync: true})
				require.NoError(t, err)
				registration.End()
				assert.Equal(t, identity, user.identity(main))
				user.must("cuEventRecord", join, side)
				user.must("cuStreamWaitEvent", main, join, 0)
				graph, executable := user.end(main)
				assert.Nil(t, runner.Graph())

				for _, set := range []int32{0, 1} {
					require.NoError(t, errors.Join(flag.Write([]int32{set}), value.Write([]int32{0}), loops.Write([]int32{0})))
					user.replay(executable, main)
					runs := int32(1)
					if conditional {
						runs = set
					}
					assert.Equal(t, runs, read(t, value), "flag %d", set)
					assert.Equal(t, 3*runs, read(t, loops), "flag %d", set)
				}
				user.destroy(graph, executable)
			})
		}
	}
}

// A driver without conditional nodes records unconditionally, whatever the opt-in says (D9, D21).
func TestCUDAOldDriver(t *testing.T) { // D21, R25
	user, device := openCUDA(t, 12030)
	main := user.stream()
	flag, value := newArray(t, device, int32(0)), newArray(t, device, int32(0))
	user.must("cuStreamBeginCapture", main, 0)
	ctx, registration, err := interop.Register(t.Context(), device, uintptr(main), interop.Options{Conditional: true})
	require.NoError(t, err)
	lc, err := exec.For(ctx, device)
	require.NoError(t, err)
	assert.False(t, exec.SkipUnless(lc, flag, func(lc *exec.LaunchContext) { increment(lc, value) }))
	require.NoError(t, lc.Err())
	registration.End()
	graph, executable := user.end(main)
	user.replay(executable, main)
	assert.Equal(t, int32(1), read(t, value))
	user.destroy(graph, executable)
}

// Registrations inside each other, and one of a stream that only joined.
func TestCUDARegistrations(t *testing.T) { // R118c, R118d, R118e, R118j
	user, device := openCUDA(t, 12080)
	main := user.stream()
	_, _, err := interop.Register(t.Context(), device, uintptr(main), interop.Options{})
	require.ErrorIs(t, err, exec.ErrCapture)
	flag := newArray(t, device, int32(0))
	ours, err := device.NewStream()
	require.NoError(t, err)
	defer func() { require.NoError(t, ours.Close()) }()
	fork, err := device.NewEvent()
	require.NoError(t, err)
	join, err := device.NewEvent()
	require.NoError(t, err)
	defer func() { require.NoError(t, errors.Join(fork.Close(), join.Close())) }()

	user.must("cuStreamBeginCapture", main, 0)
	stream, err := interop.StreamFor(device, uintptr(main))
	require.NoError(t, err)
	_, outer, err := interop.Register(t.Context(), device, uintptr(main), interop.Options{})
	require.NoError(t, err)
	_, inner, err := interop.RegisterStream(t.Context(), stream, interop.Options{Conditional: true})
	require.NoError(t, err)
	assert.Same(t, stream, inner.Stream())
	assert.False(t, inner.InForce())
	inner.End()
	assert.True(t, outer.InForce())
	outer.End()

	require.NoError(t, errors.Join(stream.Record(fork), ours.Wait(fork)))
	ctx, joined, err := interop.RegisterStream(t.Context(), ours, interop.Options{Conditional: true})
	require.NoError(t, err)
	assert.False(t, joined.InForce())
	lc, err := exec.For(ctx, device)
	require.NoError(t, err)
	assert.False(t, exec.SkipUnless(lc, flag, func(*exec.LaunchContext) {}))
	require.NoError(t, lc.Err())
	require.NoError(t, errors.Join(ours.Record(join), stream.Wait(join)))
	graph, executable := user.end(main)
	user.destroy(graph, executable)
}

// While somebody else captures in the GLOBAL mode, a runner neither prepares nor captures, and its replays go on.
func TestCUDAGlobalCaptureElsewhere(t *testing.T) { // R164, R59, R72
	user, device := openCUDA(t, 13000)
	main := user.stream()
	value := newArray(t, device, int32(0))
	body := func(lc *exec.LaunchContext) { increment(lc, value) }
	var runners [2]*exec.GraphRunner
	for i := range runners {
		runner, err := exec.NewGraphRunner(device, exec.RunnerOptions{Capturable: true})
		require.NoError(t, err)
		defer func() { require.NoError(t, runner.Close()) }()
		runners[i] = runner
	}
	_, err := runners[0].Run(t.Context(), body, exec.RunOptions{Sync: true})
	require.NoError(t, err)

	user.must("cuStreamBeginCapture", main, 0)
	identity := user.identity(main)
	_, registration, err := interop.Register(t.Context(), device, uintptr(main), interop.Options{})
	require.NoError(t, err)
	for _, runner := range runners {
		_, err = runner.Run(context.Background(), body, exec.RunOptions{Sync: true})
		require.NoError(t, err)
	}
	assert.NotNil(t, runners[0].Graph())
	assert.Nil(t, runners[1].Graph())
	require.ErrorIs(t, runners[1].Prepare(context.Background(), body), exec.ErrCapture)
	assert.Equal(t, identity, user.identity(main), "their capture is unharmed")
	registration.End()
	graph, executable := user.end(main)
	user.destroy(graph, executable)
	require.NoError(t, device.DefaultStream().Sync())
	assert.Equal(t, int32(4), read(t, value))
}

// The graph of somebody else keeps a producer that was recorded into it, until it is gone.
func TestCUDAGraphKeepsProducer(t *testing.T) { // R54, R65, D22, R118g
	user, device := openCUDA(t, 12080)
	main := user.stream()
	value := newArray(t, device, int32(0))
	gone := make(chan struct{})
	runner := func() *exec.GraphRunner {
		owner := new(struct{ name [64]byte })
		runtime.AddCleanup(owner, func(done chan struct{}) { close(done) }, gone)
		runner, err := exec.NewGraphRunner(device, exec.RunnerOptions{Capturable: true, Owner: exec.WeakOwner(owner)})
		require.NoError(t, err)
		user.must("cuStreamBeginCapture", main, 0)
		ctx, registration, err := interop.Register(t.Context(), device, uintptr(main), interop.Options{})
		require.NoError(t, err)
		_, err = runner.Run(ctx, func(lc *exec.LaunchContext) { increment(lc, value) }, exec.RunOptions{})
		require.NoError(t, err)
		registration.End()
		runtime.KeepAlive(owner)
		return runner
	}()
	defer func() { require.NoError(t, runner.Close()) }()
	graph, executable := user.end(main)
	for range 3 {
		runtime.GC()
	}
	select {
	case <-gone:
		t.Fatal("the graph keeps the producer")
	default:
	}
	user.replay(executable, main)
	user.destroy(graph, executable)
	require.Eventually(t, func() bool {
		runtime.GC()
		_ = device.DefaultStream().Sync() // the backend looks for graphs that are gone
		if buffer, err := device.Alloc(4); err == nil {
			_ = buffer.Close()
		}
		select {
		case <-gone:
			return true
		default:
			return false
		}
	}, 20*time.Second, time.Millisecond)
}
