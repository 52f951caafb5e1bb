package exec

import (
	"context"
	"sync"
	"sync/atomic"

	"github.com/trackgen-go/trackgen/backend"
)

// LegacyProducer adapts a producer that knows no launch context: it takes a device and launches on its current stream
// (D5, D15). The runner of a producer that contains one has RunnerOptions.Legacy set.
//
// While Generate runs, the current stream of the device is the stream of the call, so that its work is ordered with that
// of other stages, and the context that it receives has the launch context ambient (R14). Because the current stream is
// one for the whole device, legacy producers run one at a time in a process (R78); other code that reads the current
// stream at that moment finds the call's.
type LegacyProducer struct {
	// Name labels the producer in messages.
	Name string
	// Generate does the work.
	Generate func(ctx context.Context, device backend.Device) error
}

// Enqueue returns what runs the producer. It refuses to be recorded into the capture of a stream that is not the current
// one with a *LegacyPluginStreamError (R53).
func (p LegacyProducer) Enqueue() Enqueue {
	return func(lc *LaunchContext) {
		const op = "legacy producer"
		if !lc.admit(op) {
			return
		}
		if p.Generate == nil {
			lc.Fail(&ArgError{Op: op + " " + p.Name, Arg: "Generate", Value: nil, Allowed: "a function"})
			return
		}
		if !lc.serial {
			legacyCalls.lock.Lock()
			defer legacyCalls.lock.Unlock()
		}
		current := lc.device.CurrentStream()
		if current != lc.stream {
			if lc.stream.Capture() != backend.CaptureNone && !lc.library {
				lc.Fail(&LegacyPluginStreamError{Name: p.Name})
				return
			}
			if err := lc.device.SetCurrentStream(lc.stream); err != nil {
				lc.Fail(wrap(op+" "+p.Name, err))
				return
			}
			defer func() {
				if err := lc.device.SetCurrentStream(current); err != nil {
					lc.Fail(wrap(op+" "+p.Name, err))
				}
			}()
		}
		ctx := context.WithValue(With(lc.ctx, lc), serialKey{}, true)
		if err := p.Generate(ctx, lc.device); err != nil {
			lc.Fail(wrap(op+" "+p.Name, err))
		}
	}
}

// serialKey marks a context.Context whose call tree holds the lock of legacy producers.
type serialKey struct{}

// legacyCalls orders calls around legacy producers (R78).
var legacyCalls legacyOrder

// legacyOrder is the process-wide lock, and how many legacy producers have yet to capture their own graph.
type legacyOrder struct {
	lock sync.Mutex

	total    atomic.Int32
	mutex    sync.Mutex
	byDevice map[backend.Device]int
}

// add counts a producer on device in (1) or out (-1).
func (o *legacyOrder) add(device backend.Device, n int) {
	o.mutex.Lock()
	defer o.mutex.Unlock()
	if o.byDevice == nil {
		o.byDevice = make(map[backend.Device]int)
	}
	if o.byDevice[device] += n; o.byDevice[device] == 0 {
		delete(o.byDevice, device)
	}
	o.total.Add(int32(n))
}

// pending reports whether a producer on device has yet to capture its graph.
func (o *legacyOrder) pending(device backend.Device) bool {
	if o.total.Load() == 0 {
		return false
	}
	o.mutex.Lock()
	defer o.mutex.Unlock()
	return o.byDevice[device] > 0
}

// Serial takes the lock that a call through lc holds while it decides how to run and runs, where there is need for one,
// and returns a context.Context that says so and a function that releases it (R78). For producers without legacy code,
// and while no legacy producer on the device has a capture ahead, it is a no-op.
//
// Run takes the lock by itself. A caller that emits work of its own ahead of Run takes it around both, and passes the
// context.Context on.
func (r *GraphRunner) Serial(ctx context.Context, lc *LaunchContext) (context.Context, func()) {
	if lc == nil || lc.stream == nil || !r.needsSerial(ctx, lc.stream, r.device.CurrentStream) {
		return ctx, func() {}
	}
	legacyCalls.lock.Lock()
	return context.WithValue(ctx, serialKey{}, true), sync.OnceFunc(legacyCalls.lock.Unlock)
}

// takeSerial takes the lock for a call of the runner on stream, if it needs it.
func (r *GraphRunner) takeSerial(ctx context.Context, stream backend.Stream) bool {
	if !r.needsSerial(ctx, stream, r.currentStream) {
		return false
	}
	legacyCalls.lock.Lock()
	return true
}

// needsSerial reports whether a call on stream needs the lock and does not hold it yet.
func (r *GraphRunner) needsSerial(ctx context.Context, stream backend.Stream, current func() backend.Stream) bool {
	if !r.options.Legacy && legacyCalls.total.Load() == 0 {
		return false
	}
	if held, _ := ctx.Value(serialKey{}).(bool); held {
		return false
	}
	pending := legacyCalls.pending(r.device)
	return needsSerial(r.legacyPending.Load(), pending, r.options.Legacy, pending && current() == stream)
}

// endLegacyPending counts the runner out of those that have yet to capture.
func (r *GraphRunner) endLegacyPending() {
	if r.legacyPending.CompareAndSwap(true, false) {
		legacyCalls.add(r.device, -1)
	}
}
