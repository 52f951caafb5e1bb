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

// The lock protects the current stream of a device (R78). A legacy producer launches on the current stream, so it must
// stay the stream of the call while the producer runs. The producer also captures its own graph on it, so nobody else
// may work on the stream during that capture: neither another legacy producer, nor a call that has seen the stream
// uncaptured and is about to emit. Calls on other streams take no lock, and neither do any calls once all legacy
// producers of the device have captured their graphs.

// serialTimeout limits how long a call waits for the lock if its context has no deadline. The lock's holder is foreign
// code, which may be waiting for this very call.
const serialTimeout = time.Minute

// LegacyLockError reports a call that did not get the lock of legacy producers in time. The producer that holds the
// lock is still running, or is waiting for something that this call was to do. The call has done no work.
type LegacyLockError struct {
	Op     string        // what was being done
	Holder string        // the producer, or the caller of Serial, that holds the lock
	Held   time.Duration // how long it has held the lock
	Cause  error         // why the context of the call ended, nil if the wait timed out
}

// Error names the holder and the remedy.
func (e *LegacyLockError) Error() string {
	text := fmt.Sprintf("%s: the lock of legacy producers is held by %s, for %v; a legacy producer that waits for "+
		"another goroutine must pass it the context.Context that it received", e.Op, e.Holder, e.Held.Round(time.Millisecond))
	if e.Cause != nil {
		text += ": " + e.Cause.Error()
	}
	return text
}

// Operation returns Op.
func (e *LegacyLockError) Operation() string { return e.Op }

// Unwrap returns the cause.
func (e *LegacyLockError) Unwrap() error { return e.Cause }

// serialKey is the key of a *callTree in a context.Context.
type serialKey struct{}

// callTree marks the contexts of a call tree that holds the lock, on all its goroutines, until the holder releases it.
// Calls inside the tree take the tree's own lock instead, so that they also run one at a time.
type callTree struct {
	lock  *serialLock
	ended atomic.Bool
}

// markCallTree returns ctx with the mark of a call tree that holds the lock, and a function that ends the mark.
func markCallTree(ctx context.Context) (marked context.Context, end func()) {
	h := &callTree{lock: newSerialLock(serialTimeout)}
	return context.WithValue(ctx, serialKey{}, h), func() { h.ended.Store(true) }
}

// lockOf returns the lock that a call with ctx takes: that of its call tree if the tree holds the process-wide lock,
// else the process-wide lock.
func (o *legacyOrder) lockOf(ctx context.Context) *serialLock {
	if h, _ := ctx.Value(serialKey{}).(*callTree); h != nil && !h.ended.Load() {
		return h.lock
	}
	return o.lock
}

// legacyCalls is the process-wide lock and the number of legacy producers that have not yet captured their own graph.
var legacyCalls = legacyOrder{lock: newSerialLock(serialTimeout)}

// legacyOrder serialises calls around legacy producers.
type legacyOrder struct {
	lock *serialLock

	total    atomic.Int32
	mutex    sync.Mutex
	byDevice map[backend.Device]int
}

// add changes the number of pending producers on device by n.
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

// pending reports whether a producer on device has not yet captured its graph.
func (o *legacyOrder) pending(device backend.Device) bool {
	if o.total.Load() == 0 {
		return false
	}
	o.mutex.Lock()
	defer o.mutex.Unlock()
	return o.byDevice[device] > 0
}

// serialLock is a reentrant lock per goroutine. Waiting for it times out with an error that names the holder.
type serialLock struct {
	timeout time.Duration
	token   chan struct{} // holds one element while the lock is free

	mutex  sync.Mutex
	owner  uint64 // goroutine ID; 0 while the lock is free
	depth  int
	holder string
	since  time.Time
}

func newSerialLock(timeout time.Duration) *serialLock {
	l := &serialLock{timeout: timeout, token: make(chan struct{}, 1)}
	l.token <- struct{}{}
	return l
}

// acquire takes the lock on behalf of holder.
func (l *serialLock) acquire(ctx context.Context, op, holder string) error {
	id := goroutine.ID()
	if l.reacquire(id) {
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
	l.owner, l.depth, l.holder, l.since = id, 1, holder, time.Now()
	return nil
}

// reacquire takes the lock once more if goroutine id already holds it.
func (l *serialLock) reacquire(id uint64) bool {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	if l.owner != id {
		return false
	}
	l.depth++
	return true
}

// wait waits for the token until ctx ends, or until the timeout if ctx has no deadline.
func (l *serialLock) wait(ctx context.Context, op string) error {
	var timeout <-chan time.Time
	if _, limited := ctx.Deadline(); !limited {
		timer := time.NewTimer(l.timeout)
		defer timer.Stop()
		timeout = timer.C
	}
	select {
	case <-l.token:
		return nil
	case <-ctx.Done():
	case <-timeout:
	}
	l.mutex.Lock()
	defer l.mutex.Unlock()
	return &LegacyLockError{Op: op, Holder: l.holder, Held: time.Since(l.since), Cause: context.Cause(ctx)}
}

// release undoes one acquire. Any goroutine may call it.
func (l *serialLock) release() {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	if l.depth--; l.depth == 0 {
		l.owner = 0
		l.token <- struct{}{}
	}
}

// Serial takes the lock that a call through lc would take while it decides how to run and runs. It returns a
// context.Context that carries the lock, and a function that releases it. For producers without legacy code, and while
// no legacy producer of the device has a capture pending, it does nothing.
//
// Run takes the lock itself. A caller that emits work of its own before Run takes it around both. A goroutine may take
// the lock again while it holds it. If the caller waits for a call on another goroutine, it must pass that call the
// returned context.Context.
//
// It returns a *LegacyLockError if the lock is not free before ctx ends, or within a minute if ctx has no deadline.
func (r *GraphRunner) Serial(ctx context.Context, lc *LaunchContext) (context.Context, func(), error) {
	const op = "serial"
	if err := r.checkRunner(op); err != nil {
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
	marked, end := markCallTree(ctx)
	return marked, sync.OnceFunc(func() {
		end()
		lock.release()
	}), nil
}

// acquireSerial takes the lock for a call of the runner on stream. It returns nil if the call needs none.
func (r *GraphRunner) acquireSerial(ctx context.Context, op string, stream backend.Stream) (*serialLock, error) {
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

// endLegacyPending removes the runner from the number of pending producers.
func (r *GraphRunner) endLegacyPending() {
	if r.legacyPending.CompareAndSwap(true, false) {
		legacyCalls.add(r.device, -1)
	}
}
