package recorder

import (
	"maps"
	"sync"
	"sync/atomic"

	"github.com/trackgen-go/trackgen/backend"
)

// Event is a point in a stream: outside captures a mark of its queue, inside a capture the dependencies from one
// stream to another.
type Event struct {
	device *Device
	id     uint64
	site   string
	closed atomic.Bool

	mu       sync.Mutex
	recorded bool
	mark     uint64   // of the queue, if recorded outside captures
	capture  *capture // in which it was recorded last, nil if outside
	before   clock    // in that capture
}

// NewEvent implements backend.Device.
func (d *Device) NewEvent() (backend.Event, error) {
	const op = "new event"
	if err := d.enter(op); err != nil {
		return nil, err
	}
	defer d.leave()
	e := &Event{device: d, site: d.Site()}
	if err := d.Keep(op, e, &e.id); err != nil {
		return nil, err
	}
	return e, nil
}

// event returns the event as one of this device that is open.
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

const reasonBodyEvent = "the body of a conditional holds no events: whether it runs is known on the device alone"

// Record implements backend.Stream. What is queued goes on its way, so that an event always stands for work that
// will run.
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
	c := s.live()
	var before clock
	var mark uint64
	if c == nil {
		if mark, err = s.queue.Mark(); err != nil {
			return err
		}
	} else {
		if s.parent != nil {
			return c.refuse(s, op, reasonBodyEvent)
		}
		c.mu.Lock()
		defer c.mu.Unlock()
		if err := c.usable(s, op); err != nil {
			return err
		}
		before = maps.Clone(c.clocks[s])
	}
	own.mu.Lock()
	defer own.mu.Unlock()
	own.recorded, own.mark, own.capture, own.before = true, mark, c, before
	return nil
}

// Wait implements backend.Stream. Work that is queued and not on its way may come after the event too. Waiting for an
// event of a capture joins it.
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
	own.mu.Lock()
	recorded, mark, of, before := own.recorded, own.mark, own.capture, own.before
	own.mu.Unlock()
	c := s.live()
	switch {
	case !recorded:
		return nil
	case c != nil && s.parent != nil:
		return c.refuse(s, op, reasonBodyEvent)
	case of == nil && c != nil:
		return c.refuse(s, op, "the event was recorded outside the capture, and a replay could not wait for it")
	case of == nil:
		s.queue.After(mark)
		return nil
	case of.ended.Load():
		return &backend.CaptureError{Op: op, State: backend.CaptureNone,
			Reason: "the event belongs to a capture that has ended"}
	case c != nil && c != of:
		return c.refuse(s, op, "the event belongs to another capture")
	}
	of.mu.Lock()
	defer of.mu.Unlock()
	if err := of.usable(s, op); err != nil {
		return err
	}
	s.capture = of
	if of.clocks[s] == nil {
		of.clocks[s] = clock{}
	}
	of.clocks[s].merge(before)
	return nil
}

// Sync implements backend.Event.
func (e *Event) Sync() error {
	const op = "sync event"
	if err := e.device.enter(op); err != nil {
		return err
	}
	defer e.device.leave()
	if e.closed.Load() {
		return &backend.ClosedError{Op: op, What: "event"}
	}
	e.mu.Lock()
	mark, capture := e.mark, e.capture
	e.mu.Unlock()
	if capture != nil {
		return &backend.CaptureError{Op: op, State: backend.CaptureNone,
			Reason: "the event was recorded in a capture, whose work does not run"}
	}
	return e.device.driver.Await(mark)
}

// Close implements backend.Event.
func (e *Event) Close() error {
	e.device.Forget(e.id)
	e.Release()
	return nil
}

// Release implements Resource.
func (e *Event) Release() { e.closed.Store(true) }

// Leak implements Resource.
func (e *Event) Leak() backend.Leak { return backend.Leak{Kind: "event", Site: e.site} }
