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

// opener opens a body.
type opener = func(lc *exec.LaunchContext, flag exec.Array[int32], body exec.Enqueue)

// openers open a body in each possible way.
var openers = map[string]opener{
	"skip unless": func(lc *exec.LaunchContext, flag exec.Array[int32], body exec.Enqueue) {
		exec.SkipUnless(lc, flag, body)
	},
	"bounded loop": func(lc *exec.LaunchContext, flag exec.Array[int32], body exec.Enqueue) {
		exec.BoundedLoop(lc, 3, func(lc *exec.LaunchContext, _ int) { body(lc) },
			exec.LoopOptions{Active: flag, FirstCheck: 1})
	},
	"loop without flag": func(lc *exec.LaunchContext, _ exec.Array[int32], body exec.Enqueue) {
		exec.BoundedLoop(lc, 2, func(lc *exec.LaunchContext, _ int) { body(lc) }, exec.LoopOptions{})
	},
	"repeat": func(lc *exec.LaunchContext, flag exec.Array[int32], body exec.Enqueue) {
		exec.Repeat(lc, 2, flag, body)
	},
}

// ways are the situations in which bodies are emitted: eagerly, into a capture, and into a capture without
// conditionals.
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

// emitter runs work in one of the situations and returns the operations of the graph, or none if there is no graph.
type emitter = func(work func()) []backend.Operation

// inEachWay runs a test on each backend with each opener in each situation.
func inEachWay(t *testing.T,
	run func(t *testing.T, ctx context.Context, device backend.Device, open opener, emit emitter)) {
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

// While a body is open, every context of the stream except the body's own is refused. The call that opened the body
// fails too, so that no body silently lacks that work.
func TestBodySuspendsItsStream(t *testing.T) { // D17
	inEachWay(t, func(t *testing.T, ctx context.Context, device backend.Device, open opener, emit emitter) {
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
			"from second":    func() error { _, err := exec.For(exec.With(ctx, second), device); return err },
			"a body of it": func() error {
				open(second, flag, func(lc *exec.LaunchContext) { increment(lc, array) })
				return second.Err()
			},
			"on default": func() error {
				lc, err := exec.OnCurrentStream(device)
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

// Contexts derived from a body's context are part of the body while it is open.
func TestContextsOfBody(t *testing.T) { // D17, R14
	inEachWay(t, func(t *testing.T, ctx context.Context, device backend.Device, open opener, emit emitter) {
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
		require.ErrorIs(t, outer.Err(), exec.ErrCapture, "contexts derived from the same one share its nesting, so the "+
			"call fails")

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

// A context derived inside one body is invalid in the next body, although both bodies receive the same context.
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

// After a panic of a body, the stream accepts other work.
func TestBodyPanics(t *testing.T) { // D17
	inEachWay(t, func(t *testing.T, ctx context.Context, device backend.Device, open opener, emit emitter) {
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

// Eager calls of several goroutines on one stream do not disturb each other, no matter which bodies they have open.
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

// In a capture, the work of another goroutine would end up before or after the body. It is refused, and the body stays.
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

// Goroutines are not blamed for each other's bodies. Work outside of a goroutine's own body fails only that body, and a
// stream on which another goroutine has a body open accepts the work.
func TestBodiesAnswerForTheirGoroutine(t *testing.T) { // D17, R79
	onBackends(t, func(t *testing.T, device backend.Device, _ *emulator.Emulator) {
		const others = 5
		side := newStream(t, device)
		array := newArray(t, device, int32(0))
		require.NoError(t, device.DefaultStream().Sync())
		var wait sync.WaitGroup
		opened, proceed := make(chan struct{}), make(chan struct{})
		hold := func(stream backend.Stream) {
			wait.Go(func() {
				lc, err := exec.For(t.Context(), device, exec.OnStream(stream))
				assert.NoError(t, err)
				exec.BoundedLoop(lc, 1, func(*exec.LaunchContext, int) { opened <- struct{}{}; <-proceed }, exec.LoopOptions{})
				assert.NoError(t, lc.Err(), "an undisturbed body")
			})
			<-opened
		}
		hold(side)
		for i := range others {
			hold(device.DefaultStream()) // an earlier body
			lc, err := exec.For(t.Context(), device)
			require.NoError(t, err)
			exec.BoundedLoop(lc, 1, func(lc *exec.LaunchContext, _ int) {
				hold(device.DefaultStream()) // a later body
				emitFree := func(*exec.LaunchContext, int) {
					free, err := exec.For(t.Context(), device, exec.OnStream(side))
					require.NoError(t, err)
					exec.Fill(free, array, 5)
					require.NoError(t, free.Err(), "the body on that stream is another goroutine's")
				}
				emitFree(lc, 0)
				exec.BoundedLoop(lc, 1, emitFree, exec.LoopOptions{})
				intruder, err := exec.For(t.Context(), device)
				require.NoError(t, err)
				exec.Fill(intruder, array, 9)
				require.ErrorIs(t, intruder.Err(), exec.ErrCapture)
			}, exec.LoopOptions{})
			require.ErrorIs(t, lc.Err(), exec.ErrCapture, "body %d", i)
		}
		close(proceed)
		wait.Wait()
		require.NoError(t, side.Sync())
		assert.Equal(t, []int32{5}, read(t, array))
	})
}

// The call that opened the body learns of everything that was refused because of it, even if the refusal came before a
// context was created or through a context that already had an error.
func TestBodyHearsOfRefusals(t *testing.T) { // D17
	inEachWay(t, func(t *testing.T, ctx context.Context, device backend.Device, open opener, emit emitter) {
		flag, array := newArray(t, device, int32(1)), newArray(t, device, int32(0))
		producer := newProducer(t, device, exec.RunnerOptions{Capturable: true})
		run := func(ambient *exec.LaunchContext) error {
			_, err := producer.Run(exec.With(ctx, ambient), func(lc *exec.LaunchContext) { increment(lc, array) },
				exec.RunOptions{Policy: exec.Eager})
			return err
		}
		for name, misuse := range map[string]func(outer *exec.LaunchContext) error{
			"ambient": func(outer *exec.LaunchContext) error {
				_, err := exec.For(exec.With(ctx, outer), device)
				return err
			},
			"explicit": func(outer *exec.LaunchContext) error {
				_, err := exec.For(ctx, device, exec.OnContext(outer))
				return err
			},
			"runner": run,
		} {
			for _, nested := range []bool{false, true} {
				outer, err := exec.For(ctx, device)
				require.NoError(t, err)
				emit(func() {
					in := func(lc *exec.LaunchContext) {
						open(lc, flag, func(*exec.LaunchContext) { require.ErrorIs(t, misuse(lc), exec.ErrCapture, name) })
					}
					if nested {
						open(outer, flag, in)
					} else {
						in(outer)
					}
				})
				assert.ErrorIs(t, outer.Err(), exec.ErrCapture, "%s, nested: %v", name, nested)
			}
		}
		outer, err := exec.For(ctx, device)
		require.NoError(t, err)
		emit(func() {
			open(outer, flag, func(lc *exec.LaunchContext) {
				sibling, err := exec.For(exec.With(ctx, lc), device)
				require.NoError(t, err)
				open(lc, flag, func(*exec.LaunchContext) { increment(sibling, array) })
			})
		})
		assert.ErrorIs(t, outer.Err(), exec.ErrCapture)
		emit(func() {
			lc, err := exec.For(ctx, device)
			require.NoError(t, err)
			open(lc, flag, func(lc *exec.LaunchContext) { require.NoError(t, run(lc)) })
			require.NoError(t, lc.Err())
		})
		emit(func() {
			lc, err := exec.For(ctx, device)
			require.NoError(t, err)
			open(lc, flag, func(lc *exec.LaunchContext) { increment(lc, array) })
			require.NoError(t, lc.Err(), "what was refused is forgotten with the body")
		})
	})
}

// A runner does not run while a body is open on the context that its last run returned, because the new run would reset
// that context.
func TestBodyOnTheContextOfARun(t *testing.T) { // D17, R62
	onBackends(t, func(t *testing.T, device backend.Device, _ *emulator.Emulator) {
		side, flag := newStream(t, device), newArray(t, device, int32(1))
		producer := newProducer(t, device, exec.RunnerOptions{Capturable: true})
		run := func(stream backend.Stream) (*exec.LaunchContext, error) {
			body := func(lc *exec.LaunchContext) { increment(lc, producer.counter) }
			return producer.Run(t.Context(), body, exec.RunOptions{Stream: stream, Policy: exec.Eager})
		}
		lc, err := run(nil)
		require.NoError(t, err)
		exec.SkipUnless(lc, flag, func(*exec.LaunchContext) {
			_, err := run(side)
			require.ErrorIs(t, err, exec.ErrCapture)
		})
		require.ErrorIs(t, lc.Err(), exec.ErrCapture)
		assert.Same(t, device.DefaultStream(), lc.Stream())
		_, err = run(side)
		require.NoError(t, err)
		require.NoError(t, side.Sync())
		assert.Equal(t, []int32{2}, read(t, producer.counter))
	})
}

// Contexts derived while a runner records its graph end with the recording: their stream is private to the runner.
func TestContextsOfOwnGraphEnd(t *testing.T) { // D17, R67
	onBackends(t, func(t *testing.T, device backend.Device, _ *emulator.Emulator) {
		producer := newProducer(t, device, exec.RunnerOptions{Capturable: true})
		var kept []*exec.LaunchContext
		_, err := producer.Run(t.Context(), func(lc *exec.LaunchContext) {
			ambient, err := exec.For(exec.With(t.Context(), lc), device)
			require.NoError(t, err)
			if lc.Capturing() {
				second, err := exec.For(exec.With(t.Context(), ambient), device)
				require.NoError(t, err)
				kept = append(kept, lc, lc.With(exec.Block(32)), ambient, second)
			}
			increment(ambient, producer.counter)
			lc.Fail(ambient.Err())
		}, exec.RunOptions{Sync: true})
		require.NoError(t, err)
		assert.Equal(t, device.Caps().OwnGraphs, len(kept) > 0)
		for i, lc := range kept {
			exec.Fill(lc, producer.counter, 9)
			assert.ErrorIs(t, lc.Err(), exec.ErrCapture, "context %d", i)
		}
	})
}

// Work refused during one run does not fail the next run, although both use the same context.
func TestRefusalsOfAnEarlierRun(t *testing.T) { // D17, D16
	onBackends(t, func(t *testing.T, device backend.Device, _ *emulator.Emulator) {
		flag := newArray(t, device, int32(1))
		producer := newProducer(t, device, exec.RunnerOptions{Capturable: true})
		for _, misuse := range []bool{true, false} {
			for _, nested := range []bool{true, false} {
				body := func(lc *exec.LaunchContext) {
					exec.SkipUnless(lc, flag, func(inner *exec.LaunchContext) {
						if nested {
							exec.SkipUnless(inner, flag, func(*exec.LaunchContext) {
								if misuse {
									_, _ = exec.For(exec.With(t.Context(), inner), device)
								}
							})
						} else if misuse {
							_, _ = exec.For(exec.With(t.Context(), lc), device)
						}
					})
				}
				_, err := producer.Run(t.Context(), body, exec.RunOptions{Policy: exec.Eager})
				if misuse {
					require.ErrorIs(t, err, exec.ErrCapture)
				} else {
					require.NoError(t, err)
				}
			}
		}
	})
}

// A HOST stage with a body open gets no host operations and cannot use those it already has. What a body received ends
// with the body.
func TestHostOpsBesideABody(t *testing.T) { // D17, R84
	device := openCPU(t)
	array := newArray(t, device, int32(3))
	slot, err := exec.NewStageSlot(device, "host", exec.Host)
	require.NoError(t, err)
	defer func() { require.NoError(t, slot.Close()) }()
	for name, use := range map[string]func(lc *exec.LaunchContext, h *exec.HostOps) error{
		"operations from before": func(_ *exec.LaunchContext, h *exec.HostOps) error { return h.Sync() },
		"a read": func(_ *exec.LaunchContext,
			h *exec.HostOps) error {
			_, err := h.ReadInt32(array, 0)
			return err
		},
		"new operations": func(lc *exec.LaunchContext, _ *exec.HostOps) error { _, err := lc.Host(); return err },
	} {
		lc := launchContext(t, device)
		slot.Run(lc, func(lc *exec.LaunchContext) {
			h, err := lc.Host()
			require.NoError(t, err)
			exec.BoundedLoop(lc, 1, func(*exec.LaunchContext, int) { require.ErrorIs(t, use(lc, h), exec.ErrCapture, name) },
				exec.LoopOptions{})
		})
	}
	lc := launchContext(t, device)
	slot.Run(lc, func(lc *exec.LaunchContext) {
		var kept *exec.HostOps
		exec.BoundedLoop(lc, 1, func(inner *exec.LaunchContext, _ int) {
			h, err := inner.Host()
			require.NoError(t, err)
			require.NoError(t, h.Sync())
			kept = h
		}, exec.LoopOptions{})
		require.ErrorIs(t, kept.Sync(), exec.ErrCapture)
	})
	require.NoError(t, lc.Err())

	producer := newProducer(t, device, exec.RunnerOptions{Capturable: true})
	other := launchContext(t, device)
	exec.BoundedLoop(lc, 1, func(*exec.LaunchContext, int) {
		require.ErrorIs(t, producer.CheckRecord(other), exec.ErrCapture)
	}, exec.LoopOptions{})
}
