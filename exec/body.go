package exec

import (
	"sync/atomic"

	"github.com/trackgen-go/trackgen/backend"
	"github.com/trackgen-go/trackgen/exec/internal/seam"
)

// place is where in the nest of open bodies contexts emit: outside of all bodies, or inside one. The contexts that are
// derived from one another are in one place.
type place struct {
	inside bool           // a body of a conditional or a loop
	opener *LaunchContext // on which a body is open here, so that nothing else is emitted in this place; nil if none is
	turn   uint32         // counts the uses of the place: contexts of an earlier use have ended
}

// settle gives lc a place of its own, for a new use.
func (lc *LaunchContext) settle(inside bool) {
	lc.ownPlace.inside, lc.ownPlace.opener = inside, nil
	lc.ownPlace.turn++
	lc.place, lc.turn = &lc.ownPlace, lc.ownPlace.turn
}

// leave ends the use of the place of lc itself: what was kept of the context, or stems from it, is of no use afterwards.
func (lc *LaunchContext) leave() { lc.ownPlace.turn++ }

// openBody is the body of a conditional or of the iterations of a loop while it is emitted. It is a part of the context
// that the body is opened on, so that opening one allocates nothing.
type openBody struct {
	enqueue   Enqueue
	iteration Iteration // instead of enqueue: called for [low, high)
	low, high int
	number    int // of an outermost body, see bodyRegistry

	onDevice func(backend.Stream) error   // emits the body under a device conditional; made once
	intruder atomic.Pointer[CaptureError] // work that another context of the stream was refused meanwhile
}

// openBody opens a body on lc: until closeBody, whatever is not the body's own is refused on the stream (D17). Exactly one
// of the two functions is not nil.
func (lc *LaunchContext) openBody(enqueue Enqueue, iteration Iteration) {
	lc.open.enqueue, lc.open.iteration = enqueue, iteration
	lc.place.opener = lc
	if !lc.place.inside { // inside a body, the outermost one stands for the stream
		openBodies.add(lc)
	}
}

// closeBody closes the body that is open on lc.
func (lc *LaunchContext) closeBody() {
	lc.open.enqueue, lc.open.iteration = nil, nil
	lc.place.opener = nil
	if !lc.place.inside {
		openBodies.remove(lc)
	}
	lc.open.intruder.Store(nil)
}

// hasBodyOpen reports whether a body is open on lc itself.
func (lc *LaunchContext) hasBodyOpen() bool {
	return lc.open.enqueue != nil || lc.open.iteration != nil
}

// emitBody emits the open body with a context of its own.
func (lc *LaunchContext) emitBody(stream backend.Stream, inDevice bool) {
	if lc.place.inside {
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
	inner.settle(true)
	defer func() {
		inner.leave()
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

// intrudedBy tells the call that has a body open on lc of work that was refused meanwhile, so that it does not leave a body
// without that work.
func (lc *LaunchContext) intrudedBy(err *CaptureError) { lc.open.intruder.CompareAndSwap(nil, err) }

// obstacle returns an error if lc takes no work: while a body is open on it, on what it was derived from, or by another
// context on its stream, and after what it belongs to has ended. The call that has a body open is told. Whoever asks
// whether a context takes work asks here: each emission (see admit), host operations, and what is derived from a context.
func (lc *LaunchContext) obstacle(op string) error {
	p := lc.place
	if p.opener == nil && p.turn == lc.turn && (p.inside || openBodies.count.Load() == 0) {
		return nil
	}
	return lc.refusal(op)
}

// refusal is obstacle where something can stand in the way.
func (lc *LaunchContext) refusal(op string) error {
	switch p := lc.place; {
	case lc.turn != p.turn:
		err := &CaptureError{Op: op, Detail: "the body or the call that this context belongs to has ended; " +
			"emit through the context that is passed now"}
		if opener := openBodies.openerHere(lc.ground); opener != nil {
			opener.intrudedBy(err)
		}
		return err
	case p.opener != nil:
		err := errBodyOpen(op)
		p.opener.intrudedBy(err)
		return err
	}
	return openBodies.obstacle(op, lc.stream)
}

// errBodyOpen is the misuse of another context while a body is open.
func errBodyOpen(op string) *CaptureError {
	return &CaptureError{Op: op, Detail: "a conditional body is open on this stream; emit through the context that the body receives"}
}
