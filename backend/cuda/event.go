//go:build cgo && linux

package cuda

import (
	"sync"

	"github.com/trackgen-go/trackgen/backend"
	"github.com/trackgen-go/trackgen/backend/recorder"
)

// event is an event of the driver. In a capture of our own it exists in Go alone.
type event struct {
	device *device
	id     uint64
	handle eventHandle
	site   string

	mu       sync.Mutex
	closed   bool
	recorded bool
	own      *capture        // in which it was recorded last,
	at       point           // where in it,
	foreign  *foreignCapture // or in which of somebody else; both nil if outside
}

func (d *device) NewEvent() (backend.Event, error) {
	const op = "new event"
	if err := d.Enter(op); err != nil {
		return nil, err
	}
	defer d.Leave()
	handle, f := d.context.createEvent()
	if err := f.as(d.info.Name, op); err != nil {
		return nil, err
	}
	e := &event{device: d, handle: handle, site: d.Site()}
	if err := d.Keep(op, e, &e.id); err != nil {
		e.release()
		return nil, err
	}
	return e, nil
}

// event returns the event as one of this device, locked and open.
func (s *stream) event(op string, e backend.Event) (*event, error) {
	own, ok := e.(*event)
	if !ok || own == nil || own.device != s.device {
		return nil, &backend.ArgumentError{Op: op, Argument: "event", Value: recorder.Stranger(e), Allowed: "an event of this device"}
	}
	own.mu.Lock()
	if own.closed {
		own.mu.Unlock()
		return nil, &backend.ClosedError{Op: op, What: "event"}
	}
	return own, nil
}

const reasonCaptureEnded = "the capture of the event has ended"

const reasonBodyEvent = "the body of a conditional holds no events: whether it runs is known on the device alone"

func (s *stream) Record(e backend.Event) error {
	const op = "record event"
	if err := s.lock(op); err != nil {
		return err
	}
	defer s.mu.Unlock()
	event, err := s.event(op, e)
	if err != nil {
		return err
	}
	defer event.mu.Unlock()
	own, other, err := s.situation(op)
	if err != nil {
		return err
	}
	if own != nil {
		if s.body != nil {
			return own.refuse(s, op, reasonBodyEvent)
		}
		own.mu.Lock()
		defer own.mu.Unlock()
		if err := own.usable(s, op); err != nil {
			return err
		}
		event.recorded, event.own, event.at, event.foreign = true, own, own.points[s].clone(), nil
		return nil
	}
	if other != nil {
		if s.body != nil {
			return other.refuse(s, op, reasonBodyEvent)
		}
		other.mu.Lock()
		defer other.mu.Unlock()
		if err := other.usable(s, op); err != nil {
			return err
		}
	}
	if err := s.device.context.recordEvent(event.handle, s.handle).as(s.device.info.Name, op); err != nil {
		return err
	}
	event.recorded, event.own, event.at, event.foreign = true, nil, point{}, other
	return nil
}

// Wait makes the work that follows on this stream come after the event. Waiting for an event of a capture joins it.
func (s *stream) Wait(e backend.Event) error {
	const op = "wait for event"
	if err := s.lock(op); err != nil {
		return err
	}
	defer s.mu.Unlock()
	event, err := s.event(op, e)
	if err != nil {
		return err
	}
	defer event.mu.Unlock()
	own, other, err := s.situation(op)
	if err != nil {
		return err
	}
	refuse := func(reason string) error {
		switch {
		case own != nil:
			return own.refuse(s, op, reason)
		case other != nil:
			return other.refuse(s, op, reason)
		}
		return &backend.CaptureError{Op: op, State: backend.CaptureNone, Reason: reason}
	}
	outside := event.own == nil && event.foreign == nil
	switch {
	case !event.recorded:
		return nil
	case s.body != nil:
		return refuse(reasonBodyEvent)
	case outside && (own != nil || other != nil):
		return refuse("the event was recorded outside the capture, and a replay could not wait for it")
	case outside:
		return s.device.context.waitEvent(event.handle, s.handle).as(s.device.info.Name, op)
	case own != nil && own != event.own, other != nil && other != event.foreign:
		return refuse("the event belongs to another capture")
	case event.own != nil:
		return event.own.join(s, op, event.at)
	}
	return event.foreign.join(s, op, event.handle)
}

// join lets a stream go on after a point of the capture.
func (c *capture) join(s *stream, op string, at point) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.ended.Load() {
		return s.device.Ended(op)
	}
	if c.open != 0 {
		return c.refuse(s, op, reasonBodyOpen)
	}
	s.capture = c
	c.points[s] = c.points[s].join(at)
	return nil
}

func (c *foreignCapture) join(s *stream, op string, e eventHandle) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !captures.has(c) {
		return &backend.CaptureError{Op: op, State: backend.CaptureNone, Reason: reasonCaptureEnded}
	}
	if c.bodies != 0 {
		return c.refuse(s, op, reasonBodyOpen)
	}
	before, f := s.device.context.capture(s.handle)
	if !f.failed() {
		f = s.device.context.waitEvent(e, s.handle)
		// The driver tells no number of an invalidated capture, so that one on the same stream was taken for that of the event.
		if f.code == codeInvalidValue {
			return &backend.CaptureError{Op: op, State: backend.CaptureNone, Reason: reasonCaptureEnded}
		}
	}
	if err := f.as(s.device.info.Name, op); err != nil {
		return err
	}
	if before.status == statusNone {
		s.joined = c.key.id
	}
	return nil
}

// Sync waits for the work before the event. Calls with the event wait for it.
func (e *event) Sync() error {
	const op = "sync event"
	if err := e.device.Enter(op); err != nil {
		return err
	}
	defer e.device.Leave()
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.closed {
		return &backend.ClosedError{Op: op, What: "event"}
	}
	if e.own != nil || e.foreign != nil {
		return &backend.CaptureError{Op: op, State: backend.CaptureNone,
			Reason: "the event was recorded in a capture, whose work does not run"}
	}
	return e.device.context.syncEvent(e.handle).as(e.device.info.Name, op)
}

func (e *event) Close() error {
	released := e.release()
	e.device.Forget(e.id) // afterwards: Close of the device waits for what is on the list
	if !released {
		return nil
	}
	return e.device.Collect()
}

func (e *event) release() bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.closed {
		return false
	}
	e.closed = true
	e.own, e.at, e.foreign = nil, point{}, nil
	e.device.discard(disposal{disposeEvent, uint64(e.handle), 0})
	return true
}

// Release implements recorder.Resource.
func (e *event) Release() { e.release() }

// Leak implements recorder.Resource.
func (e *event) Leak() backend.Leak { return backend.Leak{Kind: "event", Site: e.site} }
