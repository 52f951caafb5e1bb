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
	inside  bool   // a body of a conditional or a loop
	resting bool   // a body is open here, so that nothing else is emitted in this place
	turn    uint32 // counts the uses of the place: contexts of an earlier use have ended
}

// settle gives lc a place of its own, for a new use.
func (lc *LaunchContext) settle(inside bool) {
	lc.ownPlace.inside, lc.ownPlace.resting = inside, false
	lc.ownPlace.turn++
	lc.place, lc.turn = &lc.ownPlace, lc.ownPlace.turn
}

// openBody is the body of a conditional or of the iterations of a loop while it is emitted. It is a part of the context
// that the body is opened on, so that opening one allocates nothing.
type openBody struct {
	enqueue   Enqueue
	iteration Iteration // instead of enqueue: called for [low, high)
	low, high int

	onDevice func(backend.Stream) error   // emits the body under a device conditional; made once
	intruder atomic.Pointer[CaptureError] // work that another context of the stream was refused meanwhile
}

// openBody opens a body on lc: until closeBody, whatever is not the body's own is refused on the stream (D17). Exactly one
// of the two functions is not nil.
func (lc *LaunchContext) openBody(enqueue Enqueue, iteration Iteration) {
	lc.open.enqueue, lc.open.iteration = enqueue, iteration
	lc.place.resting = true
	if !lc.place.inside { // inside a body, the outermost one stands for the stream
		openBodies.add(lc)
	}
}

// closeBody closes the body that is open on lc.
func (lc *LaunchContext) closeBody() {
	lc.open.enqueue, lc.open.iteration = nil, nil
	lc.place.resting = false
	if !lc.place.inside {
		openBodies.remove(lc)
		lc.open.intruder.Store(nil)
	}
}

// emitBody emits the open body with a context of its own. Its frame marks the goroutine on which a body is open: see
// bodyOnThisGoroutine.
//
//go:noinline
func (lc *LaunchContext) emitBody(stream backend.Stream, inDevice bool) {
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
		inner.ownPlace.turn++ // what a body kept of its context is of no use afterwards
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

// resting returns an error if lc takes no work: while a body is open on it or on what it was derived from, and after what
// it belongs to has ended.
func (lc *LaunchContext) resting(op string) error {
	switch {
	case lc.place == nil: // the zero LaunchContext
		return nil
	case lc.turn != lc.place.turn:
		return &CaptureError{Op: op, Detail: "the body or the call that this context belongs to has ended; emit through the context that is passed now"}
	case lc.place.resting:
		return errBodyOpen(op)
	}
	return nil
}

// free reports whether nothing can stand in the way of work through lc.
func (lc *LaunchContext) free() bool {
	p := lc.place
	return !p.resting && p.turn == lc.turn && (p.inside || openBodies.count.Load() == 0)
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

// bodyRegistry knows on which streams bodies are open, whoever opened them. Eager calls of several goroutines may share a
// stream, so that there can be several bodies on one.
type bodyRegistry struct {
	count atomic.Int32 // of list: what keeps calls outside of bodies from taking the lock
	mutex sync.Mutex
	list  []*LaunchContext
}

func (r *bodyRegistry) add(lc *LaunchContext) {
	r.mutex.Lock()
	defer r.mutex.Unlock()
	r.list = append(r.list, lc)
	r.count.Store(int32(len(r.list)))
}

func (r *bodyRegistry) remove(lc *LaunchContext) {
	r.mutex.Lock()
	defer r.mutex.Unlock()
	if i := slices.Index(r.list, lc); i >= 0 {
		r.list = slices.Delete(r.list, i, i+1)
	}
	r.count.Store(int32(len(r.list)))
}

// on returns the context that opened the latest body on stream, nil if none is open.
func (r *bodyRegistry) on(stream backend.Stream) *LaunchContext {
	r.mutex.Lock()
	defer r.mutex.Unlock()
	for i := len(r.list) - 1; i >= 0; i-- {
		if r.list[i].stream == stream {
			return r.list[i]
		}
	}
	return nil
}

// obstacle returns an error if a context outside of all bodies may not emit on stream: a body is open on it, and either
// the stream is being captured, so that the work would end up before or after the body, or the body is running on this
// goroutine, which has to use the context that it received. A body of another goroutine is no obstacle to eager work: the
// two are independent (R79).
//
// The call that opened the body is told, so that it does not leave a body without that work.
func (r *bodyRegistry) obstacle(op string, stream backend.Stream) error {
	opener := r.on(stream)
	if opener == nil {
		return nil
	}
	inBody := bodyOnThisGoroutine()
	if !inBody && stream.Capture() == backend.CaptureNone {
		return nil
	}
	err := errBodyOpen(op)
	if inBody {
		opener.open.intruder.CompareAndSwap(nil, err)
	}
	return err
}

// emitBodyEntry is the address of emitBody.
var emitBodyEntry = reflect.ValueOf((*LaunchContext).emitBody).Pointer()

// bodyOnThisGoroutine reports whether this goroutine is in a body: Go has no identity of goroutines to compare, and
// looking for emitBody on the stack costs nothing to those who open bodies.
func bodyOnThisGoroutine() bool {
	var counters [128]uintptr
	for skip := 2; ; skip += len(counters) {
		n := runtime.Callers(skip, counters[:])
		for _, counter := range counters[:n] {
			if f := runtime.FuncForPC(counter - 1); f != nil && f.Entry() == emitBodyEntry {
				return true
			}
		}
		if n < len(counters) {
			return false
		}
	}
}
