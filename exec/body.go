package exec

import (
	"reflect"
	"runtime"
	"slices"
	"sync"
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

// resting returns an error if lc takes no work: while a body is open on it or on what it was derived from, and after what
// it belongs to has ended.
func (lc *LaunchContext) resting(op string) error {
	switch {
	case lc.place == nil: // the zero LaunchContext
		return nil
	case lc.turn != lc.place.turn:
		err := &CaptureError{Op: op, Detail: "the body or the call that this context belongs to has ended; " +
			"emit through the context that is passed now"}
		if opener := openBodies.openerHere(lc.ground); opener != nil {
			opener.intrudedBy(err)
		}
		return err
	case lc.place.opener != nil:
		err := errBodyOpen(op)
		lc.place.opener.intrudedBy(err)
		return err
	}
	return nil
}

// free reports whether nothing can stand in the way of work through lc.
func (lc *LaunchContext) free() bool {
	p := lc.place
	return p.opener == nil && p.turn == lc.turn && (p.inside || openBodies.count.Load() == 0)
}

// obstacle returns an error if lc takes no work: it is resting, or another context has a body open on the stream.
func (lc *LaunchContext) obstacle(op string) error {
	if lc.free() {
		return nil
	}
	if err := lc.resting(op); err != nil {
		return err
	}
	return openBodies.obstacle(op, lc.stream)
}

// errBodyOpen is the misuse of another context while a body is open.
func errBodyOpen(op string) *CaptureError {
	return &CaptureError{Op: op, Detail: "a conditional body is open on this stream; emit through the context that the body receives"}
}

// openBodies are the contexts with an outermost body open, in this process.
var openBodies bodyRegistry

// bodyRegistry knows on which streams bodies are open, and on which goroutines. Eager calls of several goroutines may share
// a stream, so that there can be several bodies on one.
//
// Go has no identity of goroutines that costs nothing. Each body has the smallest number that is free, which the frames
// below its emission spell: see emitNumbered.
type bodyRegistry struct {
	count    atomic.Int32 // of the bodies: what keeps calls outside of bodies from taking the lock
	mutex    sync.Mutex
	byNumber []*LaunchContext // nil where a number is free
}

func (r *bodyRegistry) add(lc *LaunchContext) {
	r.mutex.Lock()
	defer r.mutex.Unlock()
	lc.open.number = slices.Index(r.byNumber, nil)
	if lc.open.number < 0 {
		lc.open.number = len(r.byNumber)
		r.byNumber = append(r.byNumber, nil)
	}
	r.byNumber[lc.open.number] = lc
	r.count.Add(1)
}

func (r *bodyRegistry) remove(lc *LaunchContext) {
	r.mutex.Lock()
	defer r.mutex.Unlock()
	r.byNumber[lc.open.number] = nil
	r.count.Add(-1)
}

// on reports whether a body is open on stream.
func (r *bodyRegistry) on(stream backend.Stream) bool {
	r.mutex.Lock()
	defer r.mutex.Unlock()
	return slices.ContainsFunc(r.byNumber, func(lc *LaunchContext) bool { return lc != nil && lc.stream == stream })
}

// numbered returns the context with the body of this number open, nil if it is not on stream.
func (r *bodyRegistry) numbered(number int, stream backend.Stream) *LaunchContext {
	r.mutex.Lock()
	defer r.mutex.Unlock()
	if number < len(r.byNumber) && r.byNumber[number] != nil && r.byNumber[number].stream == stream {
		return r.byNumber[number]
	}
	return nil
}

// obstacle returns an error if a context outside of all bodies may not emit on stream: a body is open on it, and either
// the stream is being captured, so that the work would end up before or after the body, or the body is running on this
// goroutine, which has to use the context that it received. A body of another goroutine is no obstacle to eager work: the
// two are independent (R79).
//
// The call that opened the body on this goroutine is told.
func (r *bodyRegistry) obstacle(op string, stream backend.Stream) error {
	if !r.on(stream) {
		return nil
	}
	opener := r.openerHere(stream)
	if opener == nil && stream.Capture() == backend.CaptureNone {
		return nil
	}
	err := errBodyOpen(op)
	if opener != nil {
		opener.intrudedBy(err)
	}
	return err
}

// emitNumbered emits the open body on top of frames that spell its number in binary digits, the lowest first, then the
// frame of emitOutermost.
//
//go:noinline
func (lc *LaunchContext) emitNumbered(number int, stream backend.Stream, inDevice bool) {
	switch {
	case number == 0:
		lc.emitOutermost(stream, inDevice)
	case number%2 == 0:
		lc.emitZero(number/2, stream, inDevice)
	default:
		lc.emitOne(number/2, stream, inDevice)
	}
}

//go:noinline
func (lc *LaunchContext) emitOutermost(stream backend.Stream, inDevice bool) {
	lc.emitInner(stream, inDevice)
}

//go:noinline
func (lc *LaunchContext) emitZero(number int, stream backend.Stream, inDevice bool) {
	lc.emitNumbered(number, stream, inDevice)
}

//go:noinline
func (lc *LaunchContext) emitOne(number int, stream backend.Stream, inDevice bool) {
	lc.emitNumbered(number, stream, inDevice)
}

// The addresses of the functions whose frames spell numbers.
var (
	outermostEntry = reflect.ValueOf((*LaunchContext).emitOutermost).Pointer()
	zeroEntry      = reflect.ValueOf((*LaunchContext).emitZero).Pointer()
	oneEntry       = reflect.ValueOf((*LaunchContext).emitOne).Pointer()
)

// openerHere returns the context that has an outermost body open on stream and is emitting it on this goroutine, nil if
// there is none. It reads the numbers of all bodies on the stack, from the innermost out.
func (r *bodyRegistry) openerHere(stream backend.Stream) *LaunchContext {
	if r.count.Load() == 0 {
		return nil
	}
	var counters [128]uintptr
	number := -1 // of the body whose digits are being read, negative before the first
	for skip := 2; ; skip += len(counters) {
		n := runtime.Callers(skip, counters[:])
		for _, counter := range counters[:n] {
			f := runtime.FuncForPC(counter - 1)
			if f == nil {
				continue
			}
			switch f.Entry() {
			case outermostEntry:
				if number >= 0 {
					if opener := r.numbered(number, stream); opener != nil {
						return opener
					}
				}
				number = 0
			case zeroEntry:
				number *= 2
			case oneEntry:
				number = 2*number + 1
			}
		}
		if n < len(counters) {
			break
		}
	}
	if number < 0 {
		return nil
	}
	return r.numbered(number, stream)
}
