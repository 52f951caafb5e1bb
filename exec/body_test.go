//go:build cgo && linux

package exec_test

import (
	"context"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/trackgen-go/trackgen/backend"
	"github.com/trackgen-go/trackgen/backend/cuda/emulator"
	"github.com/trackgen-go/trackgen/exec"
)

// openers open a body in each way.
var openers = map[string]func(lc *exec.LaunchContext, flag exec.Array[int32], body exec.Enqueue){
	"skip unless": func(lc *exec.LaunchContext, flag exec.Array[int32], body exec.Enqueue) {
		exec.SkipUnless(lc, flag, body)
	},
	"bounded loop": func(lc *exec.LaunchContext, flag exec.Array[int32], body exec.Enqueue) {
		exec.BoundedLoop(lc, 3, func(lc *exec.LaunchContext, _ int) { body(lc) }, exec.LoopOptions{Active: flag, FirstCheck: 1})
	},
	"loop without flag": func(lc *exec.LaunchContext, _ exec.Array[int32], body exec.Enqueue) {
		exec.BoundedLoop(lc, 2, func(lc *exec.LaunchContext, _ int) { body(lc) }, exec.LoopOptions{})
	},
	"repeat": func(lc *exec.LaunchContext, flag exec.Array[int32], body exec.Enqueue) {
		exec.Repeat(lc, 2, flag, body)
	},
}

// ways are the situations in which bodies are emitted: eagerly, into a capture, and into one without conditionals.
var ways = []struct {
	name     string
	captured bool
	scope    func(context.Context) context.Context
}{
	{"eager", false, func(ctx context.Context) context.Context { return ctx }},
	{"eager with polls", false, func(ctx context.Context) context.Context { return exec.AllowHostPoll(ctx, true) }},
	{"captured", true, func(ctx context.Context) context.Context { return ctx }},
	{"captured unconditionally", true, func(ctx context.Context) context.Context { return exec.Unconditional(ctx, true) }},
}

// inEachWay runs a test on each backend with each opener in each situation. emit runs work as the situation wants it and
// returns the operations of the graph, none if there is none.
func inEachWay(t *testing.T, run func(t *testing.T, ctx context.Context, device backend.Device,
	open func(*exec.LaunchContext, exec.Array[int32], exec.Enqueue), emit func(work func()) []backend.Operation)) {
	onBackends(t, func(t *testing.T, device backend.Device, _ *emulator.Emulator) {
		for name, open := range openers {
			for _, way := range ways {
				t.Run(name+"/"+way.name, func(t *testing.T) {
					emit := func(work func()) []backend.Operation {
						if !way.captured {
							work()
							return nil
						}
						return capture(t, device.DefaultStream(), work).(backend.Inspector).Operations()
					}
					run(t, way.scope(t.Context()), device, open, emit)
				})
			}
		}
	})
}

// While a body is open, every context of the stream but the body's own is refused, and the call that opened the body fails,
// so that it leaves no body without its work.
func TestBodySuspendsItsStream(t *testing.T) { // D17
	inEachWay(t, func(t *testing.T, ctx context.Context, device backend.Device,
		open func(*exec.LaunchContext, exec.Array[int32], exec.Enqueue), emit func(func()) []backend.Operation) {
		flag, array := newArray(t, device, int32(1)), newArray(t, device, int32(0))
		newContext := func() *exec.LaunchContext {
			lc, err := exec.For(ctx, device)
			require.NoError(t, err)
			return lc
		}
		producer := newProducer(t, device, exec.RunnerOptions{Capturable: true})
		require.NoError(t, producer.Prepare(t.Context(), func(lc *exec.LaunchContext) { increment(lc, producer.counter) }))
		var outer, derived, second *exec.LaunchContext
		misuses := map[string]func() error{
			"outer":          func() error { increment(outer, array); return outer.Err() },
			"derived before": func() error { increment(derived, array); return derived.Err() },
			"derived inside": func() error { increment(outer.With(exec.Block(32)), array); return outer.Err() },
			"unconditional":  func() error { exec.Fill(outer.Unconditional(), array, 9); return outer.Err() },
			"second before":  func() error { increment(second, array); return second.Err() },
			"second inside":  func() error { lc := newContext(); exec.Fill(lc, array, 9); return lc.Err() },
			"a body of it": func() error {
				open(second, flag, func(lc *exec.LaunchContext) { increment(lc, array) })
				return second.Err()
			},
			"on default": func() error {
				lc, err := exec.OnDefault(device)
				require.NoError(t, err)
				exec.Copy(lc, array, flag)
				return lc.Err()
			},
			"runner": func() error {
				_, err := producer.Run(ctx, func(lc *exec.LaunchContext) { increment(lc, array) }, exec.RunOptions{})
				return err
			},
		}
		for name, misuse := range misuses {
			outer, second = newContext(), newContext()
			derived = outer.With(exec.Block(32))
			operations := emit(func() {
				open(outer, flag, func(*exec.LaunchContext) { require.ErrorIs(t, misuse(), exec.ErrCapture, name) })
			})
			assert.ErrorIs(t, outer.Err(), exec.ErrCapture, name)
			assert.Empty(t, operations, name)
			require.NoError(t, device.DefaultStream().Sync())
			require.Equal(t, []int32{0}, read(t, array), name)
		}
		assert.ErrorIs(t, producer.Prepare(exec.With(ctx, func() *exec.LaunchContext {
			var kept *exec.LaunchContext
			lc := newContext()
			emit(func() { open(lc, flag, func(lc *exec.LaunchContext) { kept = lc }) })
			require.NoError(t, lc.Err())
			return kept
		}()), producer.body), exec.ErrCapture, "an ambient context whose body has ended")
	})
}

// What stems from the context of a body is a part of the body, while it is open.
func TestContextsOfBody(t *testing.T) { // D17, R14
	inEachWay(t, func(t *testing.T, ctx context.Context, device backend.Device,
		open func(*exec.LaunchContext, exec.Array[int32], exec.Enqueue), emit func(func()) []backend.Operation) {
		flag, array := newArray(t, device, int32(1)), newArray(t, device, int32(0), 0, 0, 0)
		part := func(i int) exec.Array[int32] {
			p, err := array.Slice(i, i+1)
			require.NoError(t, err)
			return p
		}
		outer, err := exec.For(ctx, device)
		require.NoError(t, err)
		var kept []*exec.LaunchContext
		emit(func() {
			open(outer, flag, func(lc *exec.LaunchContext) {
				ambient, err := exec.For(exec.With(ctx, lc), device)
				require.NoError(t, err)
				explicit, err := exec.For(ctx, device, exec.OnContext(lc))
				require.NoError(t, err)
				kept = []*exec.LaunchContext{lc, lc.With(exec.Block(32)), ambient, explicit}
				for i, c := range kept {
					exec.Fill(c, part(i), 1)
					require.NoError(t, c.Err())
				}
				exec.SkipUnless(ambient, flag, func(*exec.LaunchContext) {
					for _, c := range []*exec.LaunchContext{explicit, lc} {
						exec.Fill(c, array, 5)
						assert.ErrorIs(t, c.Err(), exec.ErrCapture, "a body inside the body")
					}
				})
			})
		})
		require.ErrorIs(t, outer.Err(), exec.ErrCapture, "the contexts of a body share its place, so that its call fails")

		lc, err := exec.For(ctx, device)
		require.NoError(t, err)
		emit(func() {
			open(lc, flag, func(lc *exec.LaunchContext) {
				ambient, err := exec.For(exec.With(ctx, lc), device)
				require.NoError(t, err)
				kept = []*exec.LaunchContext{lc, lc.With(exec.Block(32)), ambient, ambient.Unconditional()}
			})
		})
		require.NoError(t, lc.Err())
		for i, c := range kept {
			exec.Fill(c, array, 7)
			assert.ErrorIs(t, c.Err(), exec.ErrCapture, "context %d of a body that has ended", i)
			_, err := exec.For(exec.With(ctx, c), device)
			assert.ErrorIs(t, err, exec.ErrCapture)
		}
	})
}

// A context that is derived inside one body is of no use in the next one, though the two have one context.
func TestContextOfAnEarlierIteration(t *testing.T) { // D17, R38
	device := openCPU(t)
	array := newArray(t, device, int32(0))
	lc := launchContext(t, device)
	var earlier *exec.LaunchContext
	exec.BoundedLoop(lc, 2, func(lc *exec.LaunchContext, i int) {
		if i == 0 {
			earlier = lc.With(exec.Block(64))
			exec.Fill(earlier, array, 1)
		}
	}, exec.LoopOptions{})
	require.NoError(t, lc.Err(), "one window is one body")
	exec.SkipUnless(lc, newArray(t, device, int32(1)), func(*exec.LaunchContext) { exec.Fill(earlier, array, 2) })
	require.ErrorIs(t, lc.Err(), exec.ErrCapture)
	assert.Equal(t, []int32{1}, read(t, array))
}

// A body that panics leaves the stream to others.
func TestBodyPanics(t *testing.T) { // D17
	inEachWay(t, func(t *testing.T, ctx context.Context, device backend.Device,
		open func(*exec.LaunchContext, exec.Array[int32], exec.Enqueue), emit func(func()) []backend.Operation) {
		flag, array := newArray(t, device, int32(1)), newArray(t, device, int32(0))
		outer, err := exec.For(ctx, device)
		require.NoError(t, err)
		emit(func() {
			assert.PanicsWithValue(t, "out", func() { open(outer, flag, func(*exec.LaunchContext) { panic("out") }) })
			lc, err := exec.For(ctx, device)
			require.NoError(t, err)
			for _, c := range []*exec.LaunchContext{outer, lc} {
				increment(c, array)
				require.NoError(t, c.Err())
			}
		})
	})
}

// Eager calls of several goroutines on one stream do not disturb each other, whatever bodies they have open.
func TestBodiesOfSeveralGoroutines(t *testing.T) { // R79, D17
	onBackends(t, func(t *testing.T, device backend.Device, _ *emulator.Emulator) {
		const calls, iterations = 20, 8
		var wait sync.WaitGroup
		for range 4 {
			flag, runs, other := newArray(t, device, int32(1)), newArray(t, device, int32(0)), newArray(t, device, int32(0))
			iteration := func(lc *exec.LaunchContext, _ int) {
				exec.SkipUnless(lc, flag, func(lc *exec.LaunchContext) { increment(lc, runs) })
			}
			wait.Go(func() {
				for range calls {
					lc, err := exec.For(t.Context(), device)
					if !assert.NoError(t, err) {
						return
					}
					exec.BoundedLoop(lc, iterations, iteration, exec.LoopOptions{Active: flag})
					increment(lc, other)
					if !assert.NoError(t, lc.Err()) {
						return
					}
				}
			})
			t.Cleanup(func() {
				assert.Equal(t, []int32{calls * iterations, calls}, []int32{read(t, runs)[0], read(t, other)[0]})
			})
		}
		wait.Wait()
		require.NoError(t, device.DefaultStream().Sync())
	})
}

// In a capture the work of another goroutine would end up before the body or after it: it is refused, and the body stays.
func TestCaptureWithBodyTakesNoOtherWork(t *testing.T) { // D17
	onBackends(t, func(t *testing.T, device backend.Device, _ *emulator.Emulator) {
		for _, unconditional := range []bool{false, true} {
			flag, array := newArray(t, device, int32(1)), newArray(t, device, int32(0))
			lc, err := exec.For(exec.Unconditional(t.Context(), unconditional), device)
			require.NoError(t, err)
			graph := capture(t, device.DefaultStream(), func() {
				exec.SkipUnless(lc, flag, func(lc *exec.LaunchContext) {
					var wait sync.WaitGroup
					wait.Go(func() {
						other, err := exec.For(t.Context(), device)
						assert.NoError(t, err)
						exec.Fill(other, array, 9)
						assert.ErrorIs(t, other.Err(), exec.ErrCapture)
					})
					wait.Wait()
					increment(lc, array)
				})
			})
			require.NoError(t, lc.Err())
			require.NoError(t, device.DefaultStream().Replay(graph))
			require.NoError(t, device.DefaultStream().Sync())
			assert.Equal(t, []int32{1}, read(t, array))
		}
	})
}
