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

// torch is a library in the same process that uses the driver directly, on the test's thread.
type torch struct {
	t      testing.TB
	e      *emulator.Emulator
	cell   emulator.Cell
	device backend.Device // TrackGen's device, whose stream wrapper is closed before the stream
}

// openCUDA opens the emulated driver, a user of it, and TrackGen's device.
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

// identity returns the ID of the capture of a stream.
func (u *torch) identity(s uint64) uint64 {
	a := u.cell.Address
	u.must("cuStreamGetCaptureInfo", s, a(1), a(2), a(3), a(4), a(5), a(6))
	require.Equal(u.t, int32(1), int32(u.cell.Word(1)), "the capture is live")
	return u.cell.Word(2)
}

// end ends a capture and returns the graph and its instantiation.
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

// modes are the driver's values of the capture modes.
var modes = map[exec.ForeignMode]uint64{exec.ForeignGlobal: 0, exec.ForeignThreadLocal: 1, exec.ForeignRelaxed: 2}

// Producers are recorded into a capture that another library has begun through the driver and has forked:
// unconditionally without the opt-in, and under device conditionals with it. The ID of the capture does not change.
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
				ctx, registration, err := interop.Register(t.Context(), device, uintptr(main),
					interop.Options{Mode: mode, Conditional: conditional})
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
					require.NoError(t, errors.Join(flag.Write(ctx, []int32{set}),
						value.Write(ctx, []int32{0}), loops.Write(ctx, []int32{0})))
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

// A driver without conditional nodes records unconditionally, regardless of the opt-in (D9, D21).
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

// Nested registrations, and a registration of a stream that only joined.
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

// versions are the driver versions on which captures of a foreign library are tested.
var versions = []int{12030, 12040, 12080, 13000}

// A stream that the foreign library has forked into a capture with its own events takes no registration: the capture is
// registered on the stream where it began. Without a registration, the fork is recognised if the library knows the
// other stream.
func TestCUDAForkOfForeigner(t *testing.T) { // R118e, R25
	for _, version := range versions {
		for _, registered := range []string{"no", "yes", "conditional"} {
			t.Run(fmt.Sprint(version, " registered ", registered), func(t *testing.T) {
				user, device := openCUDA(t, version)
				main, side := user.stream(), user.stream()
				fork, join := user.event(), user.event()
				flag, value := newArray(t, device, int32(0)), newArray(t, device, int32(0))
				for _, handle := range []uint64{main, side} {
					_, err := interop.StreamFor(device, uintptr(handle))
					require.NoError(t, err)
				}
				skips := func(ctx context.Context, stream backend.Stream) bool {
					lc, err := exec.For(ctx, device, exec.OnStream(stream))
					require.NoError(t, err)
					recorded := exec.SkipUnless(lc, flag, func(lc *exec.LaunchContext) { increment(lc, value) })
					require.NoError(t, lc.Err())
					return recorded
				}
				user.must("cuStreamBeginCapture", main, 0)
				var outer *interop.Registration
				if registered != "no" {
					var err error
					_, outer, err = interop.Register(t.Context(), device, uintptr(main),
						interop.Options{Conditional: registered == "conditional"})
					require.NoError(t, err)
				}
				user.must("cuEventRecord", fork, main)
				user.must("cuStreamWaitEvent", side, fork, 0)
				ctx, inner, err := interop.Register(t.Context(), device, uintptr(side), interop.Options{Conditional: true})
				require.NoError(t, err)
				assert.False(t, inner.InForce())
				assert.Equal(t, registered != "no", outer.InForce())
				assert.False(t, skips(ctx, inner.Stream()))
				inner.End()
				assert.Equal(t, registered != "no", outer.InForce())
				if registered != "no" {
					assert.Equal(t, registered == "conditional" && device.Caps().CaptureConditionals, skips(ctx, outer.Stream()))
				}
				outer.End()
				user.must("cuEventRecord", join, side)
				user.must("cuStreamWaitEvent", main, join, 0)
				graph, executable := user.end(main)
				user.replay(executable, main)
				want := int32(1)
				if registered == "yes" || registered == "conditional" && !device.Caps().CaptureConditionals {
					want = 2
				}
				assert.Equal(t, want, read(t, value), "work outside of conditionals runs")
				user.destroy(graph, executable)
			})
		}
	}
}

// A registration holds for one capture. If its End is late, it has no effect on the next capture of the stream: neither
// its opt-in, nor its mode, nor what it keeps.
func TestCUDARegistrationOutlivesCapture(t *testing.T) { // R24, R118d, R118f
	for _, version := range versions {
		t.Run(fmt.Sprint(version), func(t *testing.T) {
			user, device := openCUDA(t, version)
			main := user.stream()
			flag, value := newArray(t, device, int32(0)), newArray(t, device, int32(0))
			conditional := device.Caps().CaptureConditionals
			skips := func(ctx context.Context) bool {
				lc, err := exec.For(ctx, device)
				require.NoError(t, err)
				recorded := exec.SkipUnless(lc, flag, func(lc *exec.LaunchContext) { increment(lc, value) })
				require.NoError(t, lc.Err())
				return recorded
			}
			user.must("cuStreamBeginCapture", main, 0)
			ctx, late, err := interop.Register(t.Context(), device, uintptr(main), interop.Options{Conditional: true})
			require.NoError(t, err)
			assert.Equal(t, conditional, skips(ctx))
			graph, executable := user.end(main)
			user.destroy(graph, executable)
			assert.False(t, late.InForce())
			runner, err := exec.NewGraphRunner(device, exec.RunnerOptions{Capturable: true})
			require.NoError(t, err)
			defer func() { require.NoError(t, runner.Close()) }()
			require.NoError(t, runner.Prepare(t.Context(), func(lc *exec.LaunchContext) { increment(lc, value) }),
				"no capture is open")

			user.must("cuStreamBeginCapture", main, 0)
			assert.False(t, skips(ctx), "nobody opted in for this capture")
			assert.False(t, late.InForce())
			ctx, plain, err := interop.Register(t.Context(), device, uintptr(main), interop.Options{})
			require.NoError(t, err)
			assert.True(t, plain.InForce())
			assert.False(t, skips(ctx))
			late.End()
			assert.True(t, plain.InForce(), "the end of another registration does not affect this one")
			plain.End()
			graph, executable = user.end(main)
			user.destroy(graph, executable)

			user.must("cuStreamBeginCapture", main, 0)
			ctx, optedIn, err := interop.Register(t.Context(), device, uintptr(main), interop.Options{Conditional: true})
			require.NoError(t, err)
			assert.Equal(t, conditional, skips(ctx), "its own registration")
			optedIn.End()
			assert.False(t, skips(ctx))
			graph, executable = user.end(main)
			user.destroy(graph, executable)
		})
	}
}

// While a foreign library captures in GLOBAL mode, a loop on another stream does not wait for its flag, even if its
// caller allows that: all windows run. In the other modes it ends early.
func TestCUDAPollBesideForeignCapture(t *testing.T) { // R72, D3, D18
	for _, version := range versions {
		for mode, number := range modes {
			t.Run(fmt.Sprint(version, " ", mode), func(t *testing.T) {
				user, device := openCUDA(t, version)
				main := user.stream()
				stream, err := device.NewStream()
				require.NoError(t, err)
				defer func() { require.NoError(t, stream.Close()) }()
				flag, value := newArray(t, device, int32(0)), newArray(t, device, int32(0))
				user.must("cuStreamBeginCapture", main, number)
				_, registration, err := interop.Register(t.Context(), device, uintptr(main), interop.Options{Mode: mode})
				require.NoError(t, err)
				waits := func(ctx context.Context) bool {
					lc, err := exec.For(exec.AllowHostPoll(ctx, true), device, exec.OnStream(stream))
					require.NoError(t, err)
					before := user.e.Calls("cuStreamSynchronize")
					exec.BoundedLoop(lc, 3, func(lc *exec.LaunchContext, _ int) { increment(lc, value) },
						exec.LoopOptions{Active: flag})
					require.NoError(t, lc.Err())
					return user.e.Calls("cuStreamSynchronize") != before
				}
				assert.Equal(t, mode != exec.ForeignGlobal, waits(t.Context()))
				capturing := exec.WithForeignStream(t.Context(), registration.Stream(), true)
				assert.False(t, waits(capturing), "the context says that the library is capturing in this thread")
				registration.End()
				graph, executable := user.end(main)
				user.destroy(graph, executable)
				want := int32(6)
				if mode != exec.ForeignGlobal {
					want = 3
				}
				require.NoError(t, stream.Sync())
				assert.Equal(t, want, read(t, value))
				assert.True(t, waits(t.Context()))
			})
		}
	}
}

// While another library captures in GLOBAL mode, a runner neither prepares nor captures, but its replays continue.
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

// The foreign graph keeps a producer that was recorded into it until the graph is destroyed.
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
		_ = device.DefaultStream().Sync() // the backend looks for destroyed graphs
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

// Two devices on one GPU see the same capture, which is registered once. An invalidated capture stays registered, so
// that nothing waits until the foreign library has ended it.
func TestCUDARegistrationOfOneCapture(t *testing.T) { // R118d, R118e, D18
	user, device := openCUDA(t, 12080)
	twin, err := backend.Open("cuda:0")
	require.NoError(t, err)
	defer func() {
		require.NoError(t, interop.Release(twin))
		require.NoError(t, twin.Close())
	}()
	main := user.stream()
	user.must("cuStreamBeginCapture", main, 0)
	_, first, err := interop.Register(t.Context(), device, uintptr(main), interop.Options{})
	require.NoError(t, err)
	_, second, err := interop.Register(t.Context(), twin, uintptr(main), interop.Options{Conditional: true})
	require.NoError(t, err)
	assert.Equal(t, []bool{true, false}, []bool{first.InForce(), second.InForce()})
	second.End()
	assert.True(t, first.InForce())

	assert.NotZero(t, user.e.Call("cuStreamSynchronize", main), "which invalidates the capture")
	assert.Equal(t, backend.CaptureInvalidated, first.Stream().Capture())
	assert.True(t, first.InForce())
	user.e.Call("cuStreamEndCapture", main, user.cell.Address(0))
	assert.False(t, first.InForce())
	first.End()
}
