package exec

import (
	"reflect"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/trackgen-go/trackgen/backend"
)

// openBodies holds the contexts of this process on which an outermost body is open.
var openBodies bodyRegistry

// bodyRegistry knows on which streams bodies are open, and on which goroutines. Several goroutines may make eager calls
// on the same stream, so a stream may have several open bodies.
//
// Go has no cheap goroutine ID. Instead, each body has the smallest free number, and the stack frames below its
// emission encode that number: see emitNumbered.
type bodyRegistry struct {
	count    atomic.Int32 // number of bodies, so that calls outside of bodies need no lock
	mutex    sync.Mutex
	byNumber []*LaunchContext // nil for a free number
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

// numbered returns the context on which the body of this number is open, nil if it is not on stream.
func (r *bodyRegistry) numbered(number int, stream backend.Stream) *LaunchContext {
	r.mutex.Lock()
	defer r.mutex.Unlock()
	if number < len(r.byNumber) && r.byNumber[number] != nil && r.byNumber[number].stream == stream {
		return r.byNumber[number]
	}
	return nil
}

// blocked returns an error if a context outside of all bodies may not emit on stream. That is so while a body is open
// on stream and either the stream is being captured, so that the work would end up before or after the body, or this
// goroutine is running the body and must use the context that the body received. The body of another goroutine does not
// block eager work: the two are independent (R79).
//
// If this goroutine opened the body, the call that did so fails too.
func (r *bodyRegistry) blocked(op string, stream backend.Stream) error {
	if !r.on(stream) {
		return nil
	}
	opener := r.openerOnGoroutine(stream)
	if opener == nil && stream.Capture() == backend.CaptureNone {
		return nil
	}
	err := errBodyOpen(op)
	if opener != nil {
		opener.reportIntruder(err)
	}
	return err
}

// emitNumbered emits the open body on top of stack frames that encode its number in binary, lowest digit first,
// followed by the frame of emitOutermost.
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

// The entry points of the functions whose frames encode numbers.
var (
	outermostEntry = reflect.ValueOf((*LaunchContext).emitOutermost).Pointer()
	zeroEntry      = reflect.ValueOf((*LaunchContext).emitZero).Pointer()
	oneEntry       = reflect.ValueOf((*LaunchContext).emitOne).Pointer()
)

// openerOnGoroutine returns the context that has an outermost body open on stream and is emitting it on this goroutine,
// nil if there is none. It reads the numbers of all bodies on the stack, innermost first.
func (r *bodyRegistry) openerOnGoroutine(stream backend.Stream) *LaunchContext {
	if r.count.Load() == 0 {
		return nil
	}
	var counters [128]uintptr
	number := -1 // of the body whose digits are being read; negative before the first
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
