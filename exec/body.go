package exec

import (
	"sync/atomic"

	"github.com/trackgen-go/trackgen/backend"
	"github.com/trackgen-go/trackgen/exec/internal/seam"
)

// nesting is the position of a context among the open bodies: outside of all bodies, or inside one. A context and those
// derived from it share one.
type nesting struct {
	inside  bool           // a body of a conditional or a loop
	opener  *LaunchContext // the context that has a body open at this level, which blocks all others there; nil if none
	version uint32         // incremented when the level ends, which invalidates the contexts that still belong to it
}

// startNesting gives lc a level of its own.
func (lc *LaunchContext) startNesting(inside bool) {
	lc.ownNesting.inside, lc.ownNesting.opener = inside, nil
	lc.ownNesting.version++
	lc.nesting, lc.version = &lc.ownNesting, lc.ownNesting.version
}

// endNesting invalidates lc's own level: contexts of it that somebody kept take no more work.
func (lc *LaunchContext) endNesting() { lc.ownNesting.version++ }

// openBody is the body of a conditional or a loop while it is being emitted. It is embedded in the context on which it
// is open, so that opening a body allocates nothing.
type openBody struct {
	enqueue   Enqueue
	iteration Iteration // set instead of enqueue: called for each iteration in [low, high)
	low, high int
	number    int // of an outermost body, see bodyRegistry

	onDevice func(backend.Stream) error           // emits the body under a device conditional; created once
	intruder atomic.Pointer[backend.CaptureError] // error of another context that tried to emit on the stream meanwhile
}

// openBody opens a body on lc. Until closeBody, the stream refuses all work that is not part of the body (D17). Exactly
// one of the two functions is not nil.
func (lc *LaunchContext) openBody(enqueue Enqueue, iteration Iteration) {
	lc.open.enqueue, lc.open.iteration = enqueue, iteration
	lc.nesting.opener = lc
	if !lc.nesting.inside { // inside a body, the outermost one represents the stream
		openBodies.add(lc)
	}
}

// closeBody closes the body that is open on lc.
func (lc *LaunchContext) closeBody() {
	lc.open.enqueue, lc.open.iteration = nil, nil
	lc.nesting.opener = nil
	if !lc.nesting.inside {
		openBodies.remove(lc)
	}
	lc.open.intruder.Store(nil)
}

// hasBodyOpen reports whether a body is open on lc itself.
func (lc *LaunchContext) hasBodyOpen() bool {
	return lc.open.enqueue != nil || lc.open.iteration != nil
}

// emitBody emits the open body through a context of its own.
func (lc *LaunchContext) emitBody(stream backend.Stream, inDevice bool) {
	if lc.nesting.inside {
		lc.emitInner(stream, inDevice)
		return
	}
	lc.emitNumbered(lc.open.number, stream, inDevice)
}

// emitInner emits the open body.
func (lc *LaunchContext) emitInner(stream backend.Stream, inDevice bool) {
	if lc.body == nil {
		lc.body = &LaunchContext{}
	}
	inner := lc.body
	lc.deriveInto(inner)
	inner.stream, inner.inDevice = stream, inDevice
	if lc.probe != nil {
		inner.probe, _ = stream.(seam.Probe)
	}
	inner.startNesting(true)
	defer func() {
		inner.endNesting()
		if err := lc.open.intruder.Load(); err != nil {
			lc.Fail(err)
		}
	}()
	if lc.open.iteration == nil {
		lc.open.enqueue(inner)
		return
	}
	for i := lc.open.low; i < lc.open.high && inner.failure.err == nil; i++ {
		lc.open.iteration(inner, i)
	}
}

// reportIntruder records work that was refused while lc has a body open. The call that opened the body then fails,
// instead of returning a body without that work.
func (lc *LaunchContext) reportIntruder(err *backend.CaptureError) {
	lc.open.intruder.CompareAndSwap(nil, err)
}

// blocked returns an error if lc takes no work: a body is open on lc, on a context that lc was derived from, or by
// another context on its stream, or the body or call that lc belongs to has ended. The call that has a body open fails
// too. Every question whether a context takes work comes here: each emission (see accepts), host operations, and what
// is derived from a context.
func (lc *LaunchContext) blocked(op string) error {
	p := lc.nesting
	if p.opener == nil && p.version == lc.version && (p.inside || openBodies.count.Load() == 0) {
		return nil
	}
	return lc.blockedSlow(op)
}

// blockedSlow is blocked if something may block the work.
func (lc *LaunchContext) blockedSlow(op string) error {
	switch p := lc.nesting; {
	case lc.version != p.version:
		err := &backend.CaptureError{Op: op, Reason: "the body or the call that this context belongs to has ended; " +
			"emit through the context that is passed now"}
		if opener := openBodies.openerOnGoroutine(lc.rootStream); opener != nil {
			opener.reportIntruder(err)
		}
		return err
	case p.opener != nil:
		err := errBodyOpen(op)
		p.opener.reportIntruder(err)
		return err
	}
	return openBodies.blocked(op, lc.stream)
}

// errBodyOpen is the error of work through another context while a body is open.
func errBodyOpen(op string) *backend.CaptureError {
	return &backend.CaptureError{Op: op,
		Reason: "a conditional body is open on this stream; emit through the context that the body receives"}
}
