package recorder

import (
	"sync"
	"sync/atomic"

	"github.com/trackgen-go/trackgen/backend"
	"github.com/trackgen-go/trackgen/internal/references"
)

// Event is a point in a stream. Outside captures, and in captures of somebody else, it is a mark of the stream's queue.
// In a capture of our own, it stands for the dependency of one stream on another.
type Event struct {
	device *Device
	id     uint64
	site   string
	closed atomic.Bool

	users    references.Count // of the mark: one until the event is closed, and one for each waiting call
	mu       sync.Mutex
	recorded bool
	mark     uint64   // of the queue
	capture  *capture // the capture in which it was recorded last, nil if outside
	at       point    // the position in that capture
}

// NewEvent implements backend.Device.
func (d *Device) NewEvent() (backend.Event, error) {
	const op = "new event"
	if err := d.enter(op); err != nil {
		return nil, err
	}
	defer d.leave()
	mark, err := d.driver.NewMark(op)
	if err != nil {
		return nil, err
	}
	e := &Event{device: d, mark: mark, site: d.site()}
	e.users.Begin()
	if err := d.list(op, e, &e.id); err != nil {
		e.Release()
		return nil, err
	}
	return e, nil
}

// event returns e as an open event of this device, or an error.
func (s *Stream) event(op string, e backend.Event) (*Event, error) {
	own, ok := e.(*Event)
	if !ok || own == nil || own.device != s.device {
		return nil, &backend.ArgumentError{Op: op, Argument: "event", Value: Stranger(e), Allowed: "an event of this device"}
	}
	if own.closed.Load() {
		return nil, &backend.ClosedError{Op: op, What: "event"}
	}
	return own, nil
}

// lock locks the event, or returns an error if it is closed.
func (e *Event) lock(op string) error {
	e.mu.Lock()
	if e.closed.Load() {
		e.mu.Unlock()
		return &backend.ClosedError{Op: op, What: "event"}
	}
	return nil
}

const reasonBodyEvent = "the body of a conditional holds no events: whether it runs is known on the device alone"

// Record implements backend.Stream. It submits the queued work, so that the event always stands for work that will run.
func (s *Stream) Record(e backend.Event) error {
	const op = "record event"
	own, err := s.event(op, e)
	if err != nil {
		return err
	}
	if err := s.lock(op); err != nil {
		return err
	}
	defer s.unlock()
	if err := own.lock(op); err != nil {
		return err
	}
	defer own.mu.Unlock()
	c, err := s.situation(op)
	if err != nil {
		return err
	}
	var at point
	if c != nil {
		if s.parent != nil {
			return c.refuse(s, op, reasonBodyEvent)
		}
		c.mu.Lock()
		defer c.mu.Unlock()
		if err := c.usable(s, op); err != nil {
			return err
		}
		at = c.points[s].clone()
	}
	if c == nil || c.foreign != nil {
		mark, err := s.queue.Record(own.mark)
		if err != nil {
			return err
		}
		own.mark = mark
	}
	own.recorded, own.capture, own.at = true, c, at
	return nil
}

// Wait implements backend.Stream. Work that is queued but not yet submitted may also wait for the event. Waiting for an
// event of a capture joins that capture.
func (s *Stream) Wait(e backend.Event) error {
	const op = "wait for event"
	own, err := s.event(op, e)
	if err != nil {
		return err
	}
	if err := s.lock(op); err != nil {
		return err
	}
	defer s.unlock()
	if err := own.lock(op); err != nil {
		return err
	}
	defer own.mu.Unlock()
	c, err := s.situation(op)
	of := own.capture
	switch {
	case err != nil:
		return err
	case !own.recorded:
		return nil
	case c != nil && s.parent != nil:
		return c.refuse(s, op, reasonBodyEvent)
	case of == nil && c != nil:
		return c.refuse(s, op, "the event was recorded outside the capture, and a replay could not wait for it")
	case of == nil:
		return s.queue.After(own.mark)
	case of.ended.Load():
		return endedCapture(op)
	case c != nil && c != of:
		return c.refuse(s, op, "the event belongs to another capture")
	}
	return of.join(s, op, own)
}

// endedCapture is the error of waiting for an event of a capture that has ended.
func endedCapture(op string) error {
	return &backend.CaptureError{Op: op, State: backend.CaptureNone,
		Reason: "the event belongs to a capture that has ended"}
}

// join makes a stream continue after an event of the capture.
func (c *capture) join(s *Stream, op string, e *Event) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if err := c.usable(s, op); err != nil {
		return err
	}
	if c.foreign != nil {
		open, err := c.foreign.Join(s.queue, e.mark)
		if !open {
			return endedCapture(op)
		}
		return err
	}
	s.capture = c
	p := c.points[s]
	p.join(e.at)
	c.points[s] = p
	return nil
}

// Sync implements backend.Event.
func (e *Event) Sync() error {
	const op = "sync event"
	if err := e.device.enter(op); err != nil {
		return err
	}
	defer e.device.leave()
	if !e.users.Retain() {
		return &backend.ClosedError{Op: op, What: "event"}
	}
	defer e.drop()
	if err := e.lock(op); err != nil {
		return err
	}
	mark, capture := e.mark, e.capture
	e.mu.Unlock()
	if capture != nil {
		return &backend.CaptureError{Op: op, State: backend.CaptureNone,
			Reason: "the event was recorded in a capture, whose work does not run"}
	}
	return e.device.driver.Await(op, mark)
}

// drop releases one use of the mark.
func (e *Event) drop() {
	if e.users.Release() {
		e.device.driver.DropMark(e.mark)
	}
}

// Close implements backend.Event.
func (e *Event) Close() error {
	if !e.device.enterLost() {
		return nil // the device has released it
	}
	defer e.device.leave()
	e.device.forget(e.id)
	e.Release()
	return e.device.driver.Collect()
}

// Release implements Resource.
func (e *Event) Release() {
	e.mu.Lock()
	defer e.mu.Unlock()
	if !e.closed.Swap(true) {
		e.capture, e.at = nil, point{}
		e.drop()
	}
}

// Leak implements Resource.
func (e *Event) Leak() backend.Leak { return backend.Leak{Kind: "event", Site: e.site} }
