package cpu

import (
	"errors"
	"fmt"
	"math"
	"runtime"
	"runtime/debug"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/trackgen-go/trackgen/backend"
	"github.com/trackgen-go/trackgen/backend/backendtest/kernels"
	"github.com/trackgen-go/trackgen/kernel"
)

func TestEachItemOnce(t *testing.T) {
	devices := []*testDevice{openTest(t, backend.Options{Workers: 1}), openTest(t, backend.Options{Workers: 2}),
		openTest(t, backend.Options{Workers: 13})}
	rapid.Check(t, func(t *rapid.T) {
		d := rapid.SampledFrom(devices).Draw(t, "device")
		n := rapid.IntRange(0, 5000).Draw(t, "n")
		slow := rapid.IntRange(0, 2000).Draw(t, "rounds")
		def := define(func(first, last int32, x []int32) {
			for i := first; i < last; i++ {
				spin(slow * int(i%3))
				x[i]++
			}
		})
		def.Group = rapid.Bool().Draw(t, "group")
		x := make([]int32, n+1)
		var args kernel.Args
		args.Buffers[0] = kernel.BufferArg{Data: unsafe.Pointer(unsafe.SliceData(x)), Len: len(x)}
		require.NoError(t, d.pool.run(def, def.Go, int32(n), &args, int32(rapid.IntRange(0, 3).Draw(t, "most workers"))))
		for i := range n {
			require.Equal(t, int32(1), x[i], "item %d of %d", i, n)
		}
		require.Zero(t, x[n], "an item beyond the last one")
	})
}

// A floating-point reduction within groups would reveal any dependence on the distribution of items.
func TestSameBytesForAnyWorkers(t *testing.T) {
	const groups, size = 600, 200
	var want []int32
	for _, workers := range []int{1, 2, 3, 16, 64} {
		d := openTest(t, backend.Options{Workers: workers})
		value, sum := alloc(t, d, groups*size), alloc(t, d, groups)
		for i := range ints(t, value) {
			ints(t, value)[i] = int32(math.Float32bits(float32(i%977) * 0.37))
		}
		for range 3 {
			require.NoError(t, d.base.Launch(&kernels.TotalDef, backend.Launch{N: groups, Buffers: []backend.View{value, sum},
				Scalars: []uint32{size}}))
			if want == nil {
				want = append(want, ints(t, sum)...)
			}
			require.Equal(t, want, ints(t, sum), "%d workers", workers)
		}
	}
}

func TestMaxBlocksBoundsWorkers(t *testing.T) {
	d := openTest(t, backend.Options{Workers: 8})
	v := alloc(t, d, 400)
	for _, most := range []int32{1, 2, 3, 8, 100} {
		var now, peak atomic.Int32
		def := define(func(first, last int32, _ []int32) {
			for i := first; i < last; i++ {
				running := now.Add(1)
				for p := peak.Load(); running > p && !peak.CompareAndSwap(p, running); p = peak.Load() {
				}
				runtime.Gosched()
				spin(20_000)
				now.Add(-1)
			}
		})
		for range 5 {
			require.NoError(t, d.base.Launch(def, backend.Launch{N: 400, Buffers: []backend.View{v}, MaxBlocks: most}))
		}
		require.LessOrEqual(t, peak.Load(), min(most, 8), "MaxBlocks %d (R17)", most)
	}
}

func TestKernelPanicIsAnError(t *testing.T) {
	for _, workers := range []int{1, 4} {
		d := openTest(t, backend.Options{Workers: workers})
		v := alloc(t, d, 100_000)
		for _, bad := range []int32{0, 1, 50_000, 99_999} {
			def := define(func(first, last int32, x []int32) {
				for i := first; i < last; i++ {
					spin(50)
					index := i
					if i == bad {
						index = int32(len(x))
					}
					x[index] = 1
				}
			})
			err := d.base.Launch(def, launchOf(v))
			require.ErrorIs(t, err, backend.ErrKernel)
			require.ErrorContains(t, err, "kernel cpu.test: runtime error: index out of range [100000] with length 100000")
			require.ErrorContains(t, err, "pool_test.go:")
			var kernelError *backend.KernelError
			require.ErrorAs(t, err, &kernelError)
			var cause runtime.Error
			require.ErrorAs(t, err, &cause)
		}
		before := ints(t, v)[5]
		require.NoError(t, d.base.Launch(increment, launchOf(v)))
		require.Equal(t, before+1, ints(t, v)[5], "the stream works after a failure")
	}
}

func TestKernelPanicsWithAnything(t *testing.T) {
	d := openTest(t, backend.Options{Workers: 4})
	v := alloc(t, d, 5000)
	cause := errors.New("cause")
	for text, value := range map[string]any{"cause": cause, "panic: text": "text", "panic: 7": 7, "nil": nil} {
		err := d.base.Launch(define(func(first, _ int32, _ []int32) {
			spin(100_000)
			if first > 0 {
				panic(value)
			}
		}), launchOf(v))
		require.ErrorIs(t, err, backend.ErrKernel)
		require.ErrorContains(t, err, text)
	}
}

// onWorker reports whether the caller runs on a goroutine of the pool.
func onWorker() bool { return strings.Contains(string(debug.Stack()), "(*pool).worker") }

// failOnWorker returns a kernel that calls fail once, on a worker. The goroutine of the launch waits for that.
func failOnWorker(fail func()) *kernel.Def {
	var once sync.Once
	failing := make(chan struct{})
	return define(func(first, _ int32, _ []int32) {
		spin(100_000)
		switch {
		case first == 0: // the probe
		case onWorker():
			once.Do(func() { close(failing); fail() })
		default:
			<-failing
		}
	})
}

func TestFailureOnAWorker(t *testing.T) {
	d := openTest(t, backend.Options{Workers: 3})
	v := alloc(t, d, 5000)
	for range 10 {
		err := d.base.Launch(failOnWorker(func() { panic("on a worker") }), launchOf(v))
		require.ErrorIs(t, err, backend.ErrKernel)
		require.ErrorContains(t, err, "on a worker")

		err = d.base.Launch(failOnWorker(runtime.Goexit), launchOf(v))
		require.ErrorIs(t, err, backend.ErrKernel)
		require.ErrorIs(t, err, errGoexit, "a kernel that ends a worker")

		err = d.base.Launch(failOnWorker(func() {
			for d.pool.gate.state.Load()&gateOpen != 0 { // until the launch waits only for this worker
				runtime.Gosched()
			}
			runtime.Goexit()
		}), launchOf(v))
		require.ErrorIs(t, err, errGoexit)

		before := ints(t, v)[4999]
		require.NoError(t, d.base.Launch(increment, launchOf(v)))
		require.Equal(t, before+1, ints(t, v)[4999], "the pool still works")
	}
}

func TestNoWorkAfterAFailure(t *testing.T) {
	d := openTest(t, backend.Options{Workers: 2})
	v := alloc(t, d, 5000)
	var calls atomic.Int32
	failing := make(chan struct{})
	err := d.base.Launch(define(func(first, _ int32, _ []int32) {
		calls.Add(1)
		spin(100_000)
		switch {
		case first == 0: // the probe
		case onWorker():
			close(failing)
			panic("on a worker")
		default:
			<-failing
			for d.pool.failure.Load() == nil {
				runtime.Gosched()
			}
		}
	}), launchOf(v))
	require.ErrorIs(t, err, backend.ErrKernel)
	require.LessOrEqual(t, calls.Load(), int32(3), "the probe and a chunk of each goroutine")
}

// After a kernel ends the goroutine of its launch, the workers and the stream still work.
func TestKernelEndsTheCaller(t *testing.T) {
	d := openTest(t, backend.Options{Workers: 3})
	v := alloc(t, d, 5000)
	for _, inProbe := range []bool{true, false} {
		def := define(func(first, _ int32, _ []int32) {
			spin(100_000)
			if !onWorker() && (first == 0) == inProbe {
				runtime.Goexit()
			}
		})
		ended := make(chan struct{})
		go func() {
			defer close(ended)
			_ = d.base.Launch(def, launchOf(v))
		}()
		<-ended
		require.Zero(t, d.pool.gate.state.Load()&(gateOpen|0xffffffff), "the workers have left")
		before := ints(t, v)[4999]
		require.NoError(t, d.base.Launch(increment, launchOf(v)))
		require.Equal(t, before+1, ints(t, v)[4999])
	}
}

func TestKernelThatCallsBack(t *testing.T) {
	d := openTest(t, backend.Options{Workers: 4})
	s, other := newStream(t, d), newStream(t, d)
	v, w := alloc(t, d, 1), alloc(t, d, 5000)
	var same, foreign, closing error
	def := define(func(int32, int32, []int32) {
		same = s.Launch(quick, launchOf(w))
		foreign = other.Launch(increment, launchOf(w))
		closing = d.Close()
	})
	require.NoError(t, s.Launch(def, launchOf(v)))
	require.ErrorIs(t, same, backend.ErrInvalid)
	require.ErrorContains(t, same, "kernel")
	require.NoError(t, foreign, "another stream is free")
	require.ErrorIs(t, closing, backend.ErrInvalid)
	require.Equal(t, int32(1), ints(t, w)[0])
}

// Two kernels that wait for each other's stream would deadlock.
func TestKernelsThatCallEachOther(t *testing.T) {
	d := openTest(t, backend.Options{Workers: 2})
	a, b := newStream(t, d), newStream(t, d)
	v := alloc(t, d, 1)
	var inside, group sync.WaitGroup
	inside.Add(2)
	group.Add(2)
	for _, pair := range [][2]backend.Stream{{a, b}, {b, a}} {
		go func() {
			defer group.Done()
			_ = pair[0].Launch(define(func(int32, int32, []int32) {
				inside.Done()
				inside.Wait()
				_ = pair[1].Launch(quick, launchOf(v))
			}), launchOf(v))
		}()
	}
	group.Wait()
}

func TestStreamsShareThePool(t *testing.T) {
	d := openTest(t, backend.Options{Workers: 3})
	var group sync.WaitGroup
	for range 6 {
		s, v := newStream(t, d), alloc(t, d, 3000)
		group.Go(func() {
			for range 20 {
				if err := s.Launch(increment, launchOf(v)); err != nil {
					panic(err)
				}
			}
			for i, got := range ints(t, v) {
				if got != 20 {
					panic(fmt.Sprintf("element %d is %d", i, got))
				}
			}
		})
	}
	group.Wait()
}

func TestCloseWaitsForWork(t *testing.T) {
	for range 20 {
		d := openDevice(t, backend.Options{Workers: 4})
		b, err := d.Alloc(4 * 20_000)
		require.NoError(t, err)
		v := backend.View{Buffer: b, Bytes: b.Bytes()}
		started := make(chan struct{})
		done := make(chan error)
		go func() {
			close(started)
			for {
				if err := d.base.Launch(increment, launchOf(v)); err != nil {
					done <- err
					return
				}
			}
		}()
		<-started
		require.ErrorIs(t, d.Close(), backend.ErrLeak)
		require.ErrorIs(t, <-done, backend.ErrClosed)
		require.NoError(t, d.Close())
	}
}

func TestGate(t *testing.T) {
	var g gate
	require.False(t, g.enter(), "a new gate is shut")
	g.open(2)
	require.True(t, g.enter())
	require.True(t, g.enter())
	require.False(t, g.enter(), "there is no room")
	require.False(t, g.leave(), "it is open")
	require.True(t, g.enter(), "there is room again")
	require.True(t, g.shut(), "two are inside")
	require.False(t, g.shut(), "it is shut")
	require.False(t, g.enter())
	require.False(t, g.leave(), "one is inside")
	require.True(t, g.leave(), "the last one")
	g.open(0)
	require.False(t, g.enter(), "a gate without room")
	require.False(t, g.shut(), "nobody is inside")
	g.open(math.MaxInt32 >> 2)
	require.True(t, g.enter())
	require.False(t, g.leave())
}
