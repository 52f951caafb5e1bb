package exec

import (
	"reflect"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/trackgen-go/trackgen/backend"
)

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
