package exec_test

import (
	"context"
	"errors"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/trackgen-go/trackgen/backend"
	"github.com/trackgen-go/trackgen/exec"
)

// legacyCounter is a legacy producer: it launches on the device's current stream.
type legacyCounter struct {
	counter exec.Array[int32]
	calls   int
	streams []backend.Stream
}

func newLegacyCounter(t testing.TB, device backend.Device) *legacyCounter {
	return &legacyCounter{counter: newArray(t, device, int32(0))}
}

func (l *legacyCounter) producer() exec.LegacyProducer {
	return exec.LegacyProducer{Name: "old", Generate: func(_ context.Context, device backend.Device) error {
		l.calls++
		stream := device.CurrentStream()
		l.streams = append(l.streams, stream)
		view := l.counter.View()
		return stream.Launch(&countDef, backend.Launch{N: 1, Buffers: []backend.View{view}})
	}}
}

func newLegacyRunner(t testing.TB, device backend.Device, options exec.RunnerOptions) *exec.GraphRunner {
	t.Helper()
	options.Legacy = true
	runner, err := exec.NewGraphRunner(device, options)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, runner.Close()) })
	return runner
}

func TestLegacyProducerUsesTheCurrentStream(t *testing.T) { // D5, D15
	device := openCPU(t)
	l := newLegacyCounter(t, device)
	r := newLegacyRunner(t, device, exec.RunnerOptions{Capturable: true})
	body := l.producer().Enqueue()
	_, err := r.Run(t.Context(), body, exec.RunOptions{})
	require.NoError(t, err)
	stream := newStream(t, device)
	_, err = r.Run(t.Context(), body, exec.RunOptions{Stream: stream})
	require.NoError(t, err)
	assert.Equal(t, []backend.Stream{device.DefaultStream(), stream}, l.streams)
	assert.Same(t, device.DefaultStream(), device.CurrentStream(), "restored")
	assert.Equal(t, []int32{2}, read(t, l.counter))
}

func TestLegacyProducerHasItsContextAmbient(t *testing.T) { // R14
	device := openCPU(t)
	stream := newStream(t, device)
	nested := newProducer(t, device, exec.RunnerOptions{Capturable: true})
	p := exec.LegacyProducer{Generate: func(ctx context.Context, device backend.Device) error {
		lc, err := nested.Run(ctx, nested.body, exec.RunOptions{})
		if err == nil {
			assert.Same(t, stream, lc.Stream())
		}
		return err
	}}
	lc := launchContext(t, device, exec.OnStream(stream))
	p.Enqueue()(lc)
	require.NoError(t, lc.Err())
	nested.requireRuns(t, 1, 1)
}

func TestLegacyRecording(t *testing.T) { // R53, R64 M2, M3, R77, R96
	for _, device := range []backend.Device{openCPU(t), asGPU(t)} {
		l := newLegacyCounter(t, device)
		r := newLegacyRunner(t, device, exec.RunnerOptions{Capturable: true, Name: "old"})
		body := l.producer().Enqueue()
		graph := capture(t, device.CurrentStream(), func() { // M2
			require.NoError(t, r.CheckRecord(launchContext(t, device)))
			_, err := r.Run(t.Context(), body, exec.RunOptions{})
			require.NoError(t, err)
		})
		require.NoError(t, device.DefaultStream().Replay(graph))
		assert.Equal(t, []int32{1}, read(t, l.counter))

		side := newStream(t, device)
		calls := l.calls
		capture(t, side, func() { // M3
			_, err := r.Run(t.Context(), body, exec.RunOptions{Stream: side})
			var refused *exec.LegacyPluginStreamError
			require.ErrorAs(t, err, &refused)
			assert.Equal(t, "old", refused.Name)
			require.ErrorAs(t, r.CheckRecord(launchContext(t, device, exec.OnStream(side))), &refused)
			lc := launchContext(t, device, exec.OnStream(side))
			body(lc) // without a runner
			require.ErrorAs(t, lc.Err(), &refused)
		})
		assert.Equal(t, calls, l.calls, "no work was issued")
	}
}

func TestLegacyOwnGraph(t *testing.T) { // C1, R67, R64 M15
	device := asGPU(t)
	l := newLegacyCounter(t, device)
	r := newLegacyRunner(t, device, exec.RunnerOptions{Capturable: true})
	body := l.producer().Enqueue()
	for range 3 {
		_, err := r.Run(t.Context(), body, exec.RunOptions{})
		require.NoError(t, err)
	}
	assert.Equal(t, 2, l.calls, "prepared, captured, replayed")
	assert.Same(t, device.CurrentStream(), l.streams[1], "C1: captured on the current stream")
	assert.NotNil(t, r.Graph())
	assert.Equal(t, []int32{4}, read(t, l.counter))
	_, err := r.Run(t.Context(), body, exec.RunOptions{Key: 1}) // M15
	require.NoError(t, err)
	assert.Equal(t, 3, l.calls)
	assert.Equal(t, []any{nil}, r.GraphKeys())
}

func TestSerial(t *testing.T) { // R78
	device := asGPU(t)
	plain := newProducer(t, device, exec.RunnerOptions{Capturable: true})
	lc := launchContext(t, device)
	ctx, release, err := plain.Serial(t.Context(), lc)
	require.NoError(t, err)
	assert.Equal(t, t.Context(), ctx, "no legacy producer: no lock")
	release()
	_, release, err = plain.Serial(t.Context(), nil)
	require.NoError(t, err)
	release()

	l := newLegacyCounter(t, device)
	r := newLegacyRunner(t, device, exec.RunnerOptions{Capturable: true})
	body := l.producer().Enqueue()
	ctx, release, err = r.Serial(t.Context(), lc)
	require.NoError(t, err)
	_, releaseAgain, err := r.Serial(ctx, lc) // reentrant by the context
	require.NoError(t, err)
	releaseAgain()
	blocked, done := make(chan struct{}), make(chan struct{})
	var order atomic.Int32
	go func() {
		close(blocked)
		_, err := plain.Run(t.Context(), plain.body, exec.RunOptions{}) // on the current stream, so it waits
		assert.NoError(t, err)
		assert.Equal(t, int32(1), order.Load())
		close(done)
	}()
	<-blocked
	exec.Fill(lc, l.counter, 0) // the caller's own work before run
	_, err = r.Run(ctx, body, exec.RunOptions{})
	require.NoError(t, err)
	order.Store(1)
	release()
	release()
	<-done

	_, release, err = plain.Serial(t.Context(), lc) // it has captured, so Serial does nothing
	require.NoError(t, err)
	defer release()
	_, err = plain.Run(t.Context(), plain.body, exec.RunOptions{})
	require.NoError(t, err)
}

// A legacy producer that calls other producers with its own context takes the lock again, both before and after its
// graph is captured.
func TestLegacyProducerCallsAnother(t *testing.T) { // R78
	for name, device := range map[string]*double{"as CPU": asGPU(t), "as GPU": asGPU(t)} {
		device.caps.OwnGraphs = name == "as GPU"
		for _, inner := range []string{"runner", "legacy runner", "legacy producer"} {
			t.Run(name+"/"+inner, func(t *testing.T) {
				within(t, func() {
					l, last := newLegacyCounter(t, device), newArray(t, device, int32(0))
					plain := newProducer(t, device, exec.RunnerOptions{Capturable: true})
					legacy := newLegacyRunner(t, device, exec.RunnerOptions{Capturable: true, Name: "inner"})
					outer := newLegacyRunner(t, device, exec.RunnerOptions{Capturable: true, Name: "outer"})
					p := exec.LegacyProducer{Name: "outer", Generate: func(_ context.Context, device backend.Device) (err error) {
						switch inner {
						case "runner":
							_, err = plain.Run(context.Background(), plain.body, exec.RunOptions{})
						case "legacy runner":
							_, err = legacy.Run(context.Background(), l.producer().Enqueue(), exec.RunOptions{})
						default:
							lc := launchContext(t, device)
							l.producer().Enqueue()(lc)
							err = lc.Err()
						}
						return errors.Join(err, device.CurrentStream().Fill(last.View(), 1))
					}}
					for range 3 {
						_, err := outer.Run(t.Context(), p.Enqueue(), exec.RunOptions{})
						require.NoError(t, err)
					}
					assert.Equal(t, []int32{1}, read(t, last))
					_, err := plain.Run(t.Context(), plain.body, exec.RunOptions{}) // another producer afterwards
					require.NoError(t, err)
				})
			})
		}
	}
}

// within fails the test if f does not return in time.
func within(t *testing.T, f func()) {
	t.Helper()
	done := make(chan struct{})
	go func() {
		defer close(done)
		f()
	}()
	select {
	case <-done:
	case <-time.After(30 * time.Second):
		t.Fatal("it hangs")
	}
}

// Legacy producers run one at a time even on several goroutines of a call tree that holds the lock.
func TestLegacyProducersOfOneCallTree(t *testing.T) { // R78, D15
	for name, device := range map[string]*double{"as CPU": asGPU(t), "as GPU": asGPU(t)} {
		device.caps.OwnGraphs = name == "as GPU"
		for _, policy := range []exec.Policy{exec.Auto, exec.Eager} {
			for _, serial := range []bool{false, true} {
				within(t, func() {
					inside := 0 // unsynchronised, for the race detector
					parts := func(ctx context.Context) {
						var wait sync.WaitGroup
						for range 4 {
							stream := newStream(t, device)
							runner := newLegacyRunner(t, device, exec.RunnerOptions{Capturable: true})
							body := exec.LegacyProducer{Generate: func(_ context.Context, device backend.Device) error {
								inside++
								assert.Equal(t, 1, inside)
								current := device.CurrentStream()
								runtime.Gosched()
								assert.Equal(t, current, device.CurrentStream())
								inside--
								return nil
							}}.Enqueue()
							wait.Go(func() {
								for range 5 {
									_, err := runner.Run(ctx, body, exec.RunOptions{Stream: stream, Policy: policy})
									assert.NoError(t, err)
								}
							})
						}
						wait.Wait()
					}
					outer := newLegacyRunner(t, device, exec.RunnerOptions{Capturable: true})
					if serial {
						ctx, release, err := outer.Serial(t.Context(), launchContext(t, device))
						require.NoError(t, err)
						defer release()
						parts(ctx)
						return
					}
					_, err := outer.Run(t.Context(), exec.LegacyProducer{Generate: func(ctx context.Context, _ backend.Device) error {
						parts(ctx)
						return nil
					}}.Enqueue(), exec.RunOptions{Policy: exec.Eager})
					require.NoError(t, err)
				})
				assert.Equal(t, device.DefaultStream(), device.CurrentStream())
			}
		}
	}
}

// The context.Context of a call tree has no effect once the tree has released the lock. Releasing it twice does not
// take the lock from another holder.
func TestSerialIsOver(t *testing.T) { // R78
	device := asGPU(t)
	legacy := newLegacyRunner(t, device, exec.RunnerOptions{Capturable: true})
	body := newLegacyCounter(t, device).producer().Enqueue()
	kept, release, err := legacy.Serial(t.Context(), launchContext(t, device))
	require.NoError(t, err)
	release()
	held, done := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(done)
		_, release, err := legacy.Serial(t.Context(), launchContext(t, device))
		assert.NoError(t, err)
		held <- struct{}{}
		<-held
		release()
	}()
	<-held
	release()
	ctx, cancel := context.WithTimeout(kept, 20*time.Millisecond)
	defer cancel()
	_, err = legacy.Run(ctx, body, exec.RunOptions{})
	var locked *exec.LegacyLockError
	require.ErrorAs(t, err, &locked)
	require.ErrorIs(t, err, context.DeadlineExceeded)
	held <- struct{}{}
	<-done
	_, err = legacy.Run(kept, body, exec.RunOptions{})
	require.NoError(t, err)
}

// A legacy producer that waits for another goroutine must pass it its context. Otherwise the other call fails when its
// own context ends: it names the holder of the lock and has done nothing.
func TestLegacyProducerWaitsForAnotherGoroutine(t *testing.T) { // R78
	device := openCPU(t)
	for _, passed := range []bool{true, false} {
		inner := newLegacyCounter(t, device)
		var failed error
		p := exec.LegacyProducer{Name: "outer", Generate: func(ctx context.Context, device backend.Device) error {
			done := make(chan struct{})
			go func() {
				defer close(done)
				if !passed {
					own, cancel := context.WithTimeout(context.Background(), 20*time.Millisecond)
					defer cancel()
					ctx = own
				}
				lc, err := exec.For(ctx, device)
				assert.NoError(t, err)
				inner.producer().Enqueue()(lc)
				failed = lc.Err()
			}()
			<-done
			return nil
		}}
		within(t, func() {
			lc := launchContext(t, device)
			p.Enqueue()(lc)
			assert.NoError(t, lc.Err())
		})
		if passed {
			require.NoError(t, failed)
			continue
		}
		var held *exec.LegacyLockError
		require.ErrorAs(t, failed, &held)
		assert.Equal(t, `producer "outer"`, held.Holder)
		assert.Positive(t, held.Held)
		assert.ErrorIs(t, failed, context.DeadlineExceeded)
		assert.Zero(t, inner.calls)
		lc := launchContext(t, device)
		inner.producer().Enqueue()(lc)
		require.NoError(t, lc.Err(), "the lock is free afterwards")
	}
}

// A runner refuses a legacy producer in its body unless RunnerOptions.Legacy is set, even eagerly, so that the mistake
// shows at the first run.
func TestLegacyProducerHasToBeDeclared(t *testing.T) { // R53
	for _, device := range []backend.Device{openCPU(t), asGPU(t)} {
		l := newLegacyCounter(t, device)
		r := newProducer(t, device, exec.RunnerOptions{Capturable: true})
		_, err := r.Run(t.Context(), l.producer().Enqueue(), exec.RunOptions{})
		requireArgError(t, err, "RunnerOptions.Legacy")
		requireArgError(t, r.Prepare(t.Context(), l.producer().Enqueue()), "RunnerOptions.Legacy")
		_, err = r.Run(t.Context(), func(lc *exec.LaunchContext) {
			made, err := exec.For(exec.With(t.Context(), lc), device)
			require.NoError(t, err)
			l.producer().Enqueue()(made)
			lc.Fail(made.Err())
		}, exec.RunOptions{})
		requireArgError(t, err, "RunnerOptions.Legacy")
		assert.Zero(t, l.calls)
	}
}

func TestLegacyProducersRunOneAtATime(t *testing.T) { // R78
	device := openCPU(t)
	var inside, most atomic.Int32
	producer := exec.LegacyProducer{Generate: func(context.Context, backend.Device) error {
		if n := inside.Add(1); n > most.Load() {
			most.Store(n)
		}
		inside.Add(-1)
		return nil
	}}
	var wait sync.WaitGroup
	for range 4 {
		r := newLegacyRunner(t, device, exec.RunnerOptions{Capturable: true})
		wait.Go(func() {
			for range 50 {
				_, err := r.Run(t.Context(), producer.Enqueue(), exec.RunOptions{})
				assert.NoError(t, err)
			}
		})
	}
	wait.Wait()
	assert.Equal(t, int32(1), most.Load())
}

func TestLegacyProducerFails(t *testing.T) {
	device := openCPU(t)
	failure := errors.New("no")
	for _, p := range []exec.LegacyProducer{{Name: "old"}, {Name: "old",
		Generate: func(context.Context, backend.Device) error { return failure }}} {
		lc := launchContext(t, device)
		p.Enqueue()(lc)
		require.Error(t, lc.Err())
		assert.Contains(t, lc.Err().Error(), "old")
		p.Enqueue()(lc) // ignored
	}
}

func TestCurrentStreamIsReadOnce(t *testing.T) { // D15
	device := asGPU(t)
	l := newLegacyCounter(t, device)
	r := newLegacyRunner(t, device, exec.RunnerOptions{Capturable: true})
	body := l.producer().Enqueue()
	plain := newProducer(t, device, exec.RunnerOptions{Capturable: true})
	require.NoError(t, plain.Prepare(t.Context(), plain.body))
	side := newStream(t, device)
	asked := func(run func() error) int {
		device.asked = 0
		require.NoError(t, run())
		return device.asked
	}
	assert.Equal(t, 1, asked(func() error { // with the lock of R78, because a legacy producer is pending
		_, err := plain.Run(t.Context(), plain.body, exec.RunOptions{})
		return err
	}))
	for range 2 {
		inside := l.calls
		n := asked(func() error {
			_, err := r.Run(t.Context(), body, exec.RunOptions{})
			return err
		})
		// Each call queries the stream twice: once in the adapter and once in the producer.
		assert.Equal(t, 1+2*(l.calls-inside), n)
	}
	assert.Zero(t, asked(func() error {
		_, err := plain.Run(t.Context(), plain.body, exec.RunOptions{Stream: side})
		return err
	}))
}
