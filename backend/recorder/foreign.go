package recorder

import (
	"errors"

	"github.com/trackgen-go/trackgen/backend"
)

// Foreign is the driver's part of a capture that somebody else began with the driver, on an adopted stream. What is
// emitted there becomes part of their graph at once. An implementation embeds a ForeignCapture. During calls, the
// recorder holds the capture and the stream of the queue.
type Foreign interface {
	base() *capture

	// ID is the number by which the driver identifies the capture.
	ID() uint64
	// Joined returns whether the stream of a queue joined the capture by waiting for an event of it (Join).
	Joined(q Queue) bool
	// Emit adds an operation to the graph. The graph keeps all that the operation uses.
	Emit(q Queue, o *Operation) error
	// Anchor keeps owner reachable as long as the graph exists.
	Anchor(q Queue, owner any) error
	// Join makes all later work on the queue wait for a mark that was made in the capture. It returns whether the
	// capture is still open; if it is not, Join has done nothing.
	Join(q Queue, mark uint64) (open bool, err error)
}

// ForeignCapture is the recorder's part of a Foreign.
type ForeignCapture struct{ capture capture }

// Begin initialises the recorder's part of a capture. It is called before anything else.
func (f *ForeignCapture) Begin(of Foreign) {
	f.capture.foreign, f.capture.kept = of, make(map[Keeper]struct{})
}

func (f *ForeignCapture) base() *capture { return &f.capture }

// ForeignQueue is a Queue of a native stream, on which somebody else can capture.
type ForeignQueue interface {
	Queue
	// Handle is the native stream.
	Handle() uintptr
	// Foreign returns the capture of somebody else that the stream takes part in, or nil. A *backend.CaptureError means
	// that the stream accepts no work. Any other error means that the driver did not report the state.
	Foreign(op string) (Foreign, error)
	// CaptureID is the number of that capture, or 0 if there is none or the driver does not report it.
	CaptureID() uint64
}

// Adoptable is a stream of a device with Caps.ForeignStreams, whose queues are ForeignQueues.
type Adoptable struct{ Looping }

// Handle is the native stream, 0 for the stream of a body.
func (a *Adoptable) Handle() uintptr {
	if a.native == nil {
		return 0
	}
	return a.native.Handle()
}

// CaptureFailure implements backend.CaptureReporter.
func (a *Adoptable) CaptureFailure() error {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.unknown
}

// CaptureID implements backend.CaptureIdentifier. It is 0 for a capture of our own, which the driver does not know of.
func (a *Adoptable) CaptureID() uint64 {
	if a.lock("capture number") != nil {
		return 0
	}
	defer a.unlock()
	c := a.live()
	switch {
	case c == nil:
		return a.native.CaptureID()
	case c.foreign != nil:
		return c.foreign.ID()
	default:
		return 0
	}
}

// Adopt returns a stream that runs its work on a queue, and the value for users that contains it. The device does not
// report the stream as a leak; the driver must release it when the device is closed.
func (d *Device) Adopt(queue ForeignQueue) (*Stream, backend.Stream) {
	s, self := d.driver.MakeStream()
	s.device, s.self, s.queue, s.native = d, self, queue, queue
	return s, self
}

// situation returns the capture that the stream takes part in, or nil. It returns an error if the driver reports that
// the stream accepts no work. The caller holds the lock of the stream.
func (s *Stream) situation(op string) (*capture, error) {
	if c := s.live(); c != nil || s.native == nil {
		return c, nil
	}
	f, err := s.native.Foreign(op)
	if f == nil || err != nil {
		return nil, err
	}
	return f.base(), nil
}

// stateOf returns the capture state for an error of situation. If the state is unknown, the stream accepts no work.
func stateOf(err error) (state backend.CaptureState, unknown error) {
	var capture *backend.CaptureError
	if errors.As(err, &capture) {
		return capture.State, nil
	}
	return backend.CaptureInvalidated, err
}

// closeForeign closes the outermost body in a capture of somebody else. If o, the operation with that body, is not nil
// and the capture is still open, it emits o.
func (s *Stream) closeForeign(c *capture, o *Operation) error {
	err := s.emitBody(c, o)
	c.mu.Lock()
	defer c.mu.Unlock()
	c.open--
	c.releaseKept() // the graph has taken its own references
	c.kept, c.nodes = make(map[Keeper]struct{}), 0
	return err
}

func (s *Stream) emitBody(c *capture, o *Operation) error {
	if o == nil {
		return nil
	}
	op := o.Kind.String()
	if err := s.lock(op); err != nil {
		return err
	}
	defer s.unlock()
	now, err := s.situation(op)
	if err != nil {
		return err
	}
	if now != c {
		return s.device.ended(op)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.foreign.Emit(s.queue, o)
}
