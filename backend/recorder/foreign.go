package recorder

import (
	"errors"

	"github.com/trackgen-go/trackgen/backend"
)

// Foreign is the driver's side of a capture that somebody else has begun with the driver, on a stream that was adopted.
// What is emitted there becomes part of their graph at once. It embeds a ForeignCapture. The recorder holds the capture
// while it calls, and the stream of the queue.
type Foreign interface {
	base() *capture

	// ID is the number by which the driver tells captures apart.
	ID() uint64
	// Joined tells whether the stream of a queue has joined the capture, which began on another one.
	Joined(q Queue) bool
	// Emit adds an operation to the graph, which keeps all that the operation uses.
	Emit(q Queue, o *Operation) error
	// Anchor keeps owner reachable for as long as the graph.
	Anchor(q Queue, owner any) error
	// Join makes what follows on the queue wait for a mark that was made in the capture. It tells whether the capture
	// is still open: if not, it has done nothing.
	Join(q Queue, mark uint64) (open bool, err error)
}

// ForeignCapture is the recorder's side of a Foreign.
type ForeignCapture struct{ capture capture }

// Begin makes f the recorder's side of a capture, before anything else.
func (f *ForeignCapture) Begin(of Foreign) {
	f.capture.foreign, f.capture.kept = of, make(map[Keeper]struct{})
}

func (f *ForeignCapture) base() *capture { return &f.capture }

// ForeignQueue is a Queue of a native stream, on which somebody else can capture.
type ForeignQueue interface {
	Queue
	// Handle is the native stream.
	Handle() uintptr
	// Foreign returns the capture of somebody else that the stream takes part in, nil if there is none. A
	// *backend.CaptureError says that the stream takes no work, any other error that the driver did not tell.
	Foreign(op string) (Foreign, error)
	// CaptureID is the number of that capture, 0 if there is none or the driver does not tell.
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

// CaptureID implements backend.CaptureIdentifier. A capture of our own has none: the driver does not know of it.
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

// Adopt returns a stream that runs its work on a queue, and the same as users get it. The device lists it as no leak,
// and leaves it to the driver to release it at the end.
func (d *Device) Adopt(queue ForeignQueue) (*Stream, backend.Stream) {
	s, self := d.driver.MakeStream()
	s.device, s.self, s.queue, s.native = d, self, queue, queue
	return s, self
}

// situation returns the capture that the stream is part of, nil if there is none. It is an error if the driver says
// that the stream takes no work. The caller holds the lock.
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

// stateOf returns the capture state that an error of situation stands for. An unknown state takes no work.
func stateOf(err error) (state backend.CaptureState, unknown error) {
	var capture *backend.CaptureError
	if errors.As(err, &capture) {
		return capture.State, nil
	}
	return backend.CaptureInvalidated, err
}

// closeForeign closes the outermost body in a capture of somebody else and emits o, the operation with that body, if it
// is not nil and everything is still there.
func (s *Stream) closeForeign(c *capture, o *Operation) error {
	err := s.emitBody(c, o)
	c.mu.Lock()
	defer c.mu.Unlock()
	c.open--
	c.letGo() // after the graph has taken its own references
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
