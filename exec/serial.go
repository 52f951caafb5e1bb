package exec

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/trackgen-go/trackgen/backend"
	"github.com/trackgen-go/trackgen/internal/goroutine"
)

// What needs a lock is the current stream of a device (R78). A legacy producer launches on it, so that it has to stay the
// stream of the call while one runs. The same producer captures its own graph on it, so that nobody else may work on the
// stream between the beginning and the end of that capture: neither another legacy producer, nor a call that has found
// the stream uncaptured and is about to emit. Calls on other streams, and all calls once each legacy producer of the
// device has captured its graph, take no lock.

// serialPatience is how long a call whose context has no deadline waits for the lock. The code that holds it is a
// stranger's, and may wait for this very call.
const serialPatience = time.Minute

// LegacyLockError reports a call that did not get the lock of legacy producers in time. The producer that holds the
// lock is still running, or waits for something that this call was to do. It comes before any work of the call.
type LegacyLockError struct {
	Op     string        // what was being done
	Holder string        // the producer, or the caller of Serial, that holds the lock
	Held   time.Duration // how long it had held the lock
	Cause  error         // why the context of the call ended, nil if its patience did
}

// Error names the holder and what to do.
func (e *LegacyLockError) Error() string {
	text := fmt.Sprintf("%s: the lock of legacy producers is held by %s, for %v; a legacy producer that waits for another "+
		"goroutine passes it the context.Context that it received", e.Op, e.Holder, e.Held.Round(time.Millisecond))
	if e.Cause != nil {
		text += ": " + e.Cause.Error()
	}
	return text
}

// Operation returns Op.
func (e *LegacyLockError) Operation() string { return e.Op }

// Unwrap returns the cause.
func (e *LegacyLockError) Unwrap() error { return e.Cause }

// serialKey is the key of a *holding in a context.Context.
type serialKey struct{}

// holding marks the contexts of a call tree that holds the lock, as long as it does, whatever its goroutines. The calls of
// the tree take a lock of its own instead, so that they run one at a time, too.
type holding struct {
	lock *serialLock
	over atomic.Bool
}

// hold returns ctx with the mark of a call tree that holds the lock until the function that it returns is called.
func hold(ctx context.Context) (marked context.Context, end func()) {
	h := &holding{lock: newSerialLock(serialPatience)}
	return context.WithValue(ctx, serialKey{}, h), func() { h.over.Store(true) }
}

// lockOf returns the lock that a call with ctx takes: that of the call tree which it is a part of, if it holds the lock.
func (o *legacyOrder) lockOf(ctx context.Context) *serialLock {
	if h, _ := ctx.Value(serialKey{}).(*holding); h != nil && !h.over.Load() {
		return h.lock
	}
	return o.lock
}

// legacyCalls is the lock, and the legacy producers that have yet to capture their own graph.
var legacyCalls = legacyOrder{lock: newSerialLock(serialPatience)}

// legacyOrder orders calls around legacy producers.
type legacyOrder struct {
	lock *serialLock

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

// serialLock is a lock that a goroutine may take again while it holds it. Whoever waits for it gives up in the end and
// says who holds it.
type serialLock struct {
	patience time.Duration
	token    chan struct{} // holds an element while the lock is free

	mutex  sync.Mutex
	owner  uint64 // goroutine; 0 while the lock is free
	depth  int
	holder string
	since  time.Time
}

func newSerialLock(patience time.Duration) *serialLock {
	l := &serialLock{patience: patience, token: make(chan struct{}, 1)}
	l.token <- struct{}{}
	return l
}

// acquire takes the lock in the name of holder.
func (l *serialLock) acquire(ctx context.Context, op, holder string) error {
	own := goroutine.ID()
	if l.again(own) {
		return nil
	}
	select {
	case <-l.token:
	default:
		if err := l.wait(ctx, op); err != nil {
			return err
		}
	}
	l.mutex.Lock()
	defer l.mutex.Unlock()
	l.owner, l.depth, l.holder, l.since = own, 1, holder, time.Now()
	return nil
}

// again takes the lock once more if goroutine own holds it.
func (l *serialLock) again(own uint64) bool {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	if l.owner != own {
		return false
	}
	l.depth++
	return true
}

// wait waits for the token: until ctx ends, and no longer than the patience if ctx has no deadline.
func (l *serialLock) wait(ctx context.Context, op string) error {
	var patience <-chan time.Time
	if _, limited := ctx.Deadline(); !limited {
		timer := time.NewTimer(l.patience)
		defer timer.Stop()
		patience = timer.C
	}
	select {
	case <-l.token:
		return nil
	case <-ctx.Done():
	case <-patience:
	}
	l.mutex.Lock()
	defer l.mutex.Unlock()
	return &LegacyLockError{Op: op, Holder: l.holder, Held: time.Since(l.since), Cause: context.Cause(ctx)}
}

// release gives up what one acquire took. Another goroutine than that of acquire may call it.
func (l *serialLock) release() {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	if l.depth--; l.depth == 0 {
		l.owner = 0
		l.token <- struct{}{}
	}
}

// Serial takes the lock that a call through lc holds while it decides how to run and runs, where there is need for one,
// and returns a context.Context that says so and a function that releases it. For producers without legacy code,
// and while no legacy producer on the device has a capture ahead, it is a no-op.
//
// Run takes the lock by itself. A caller that emits work of its own ahead of Run takes it around both. A goroutine may take
// the lock again while it holds it; a call on another goroutine that the caller waits for is given the context.Context.
//
// It returns a *LegacyLockError if the lock is not free before ctx ends, or within a minute if ctx has no deadline.
func (r *GraphRunner) Serial(ctx context.Context, lc *LaunchContext) (context.Context, func(), error) {
	const op = "serial"
	if err := r.made(op); err != nil {
		return ctx, func() {}, err
	}
	if ctx == nil {
		return nil, func() {}, errNilContext(op)
	}
	if lc == nil || lc.stream == nil || !r.needsSerial(lc.stream, r.device.CurrentStream) {
		return ctx, func() {}, nil
	}
	lock := legacyCalls.lockOf(ctx)
	if err := lock.acquire(ctx, op, label(r.options.Name)); err != nil {
		return ctx, func() {}, r.named(err)
	}
	marked, end := hold(ctx)
	return marked, sync.OnceFunc(func() {
		end()
		lock.release()
	}), nil
}

// takeSerial takes the lock for a call of the runner on stream, and returns it if the call needs one, else nil.
func (r *GraphRunner) takeSerial(ctx context.Context, op string, stream backend.Stream) (*serialLock, error) {
	if !r.needsSerial(stream, r.currentStream) {
		return nil, nil
	}
	lock := legacyCalls.lockOf(ctx)
	if err := lock.acquire(ctx, op, label(r.options.Name)); err != nil {
		return nil, err
	}
	return lock, nil
}

// needsSerial reports whether a call on stream needs the lock.
func (r *GraphRunner) needsSerial(stream backend.Stream, current func() backend.Stream) bool {
	if !r.options.Legacy && legacyCalls.total.Load() == 0 {
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
