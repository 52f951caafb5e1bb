package cpu

import (
	"maps"
	"sync"
	"sync/atomic"

	"github.com/trackgen-go/trackgen/backend"
)

// event is a point in a stream. Outside captures there is nothing to wait for: when Record returns, the work before it
// has run. Inside a capture it carries the dependencies from one stream to another.
type event struct {
	device *device
	id     uint64
	site   string
	closed atomic.Bool

	mu       sync.Mutex
	recorded bool
	capture  *capture // in which it was recorded last, nil if outside
	before   clock    // in that capture
}

func (d *device) NewEvent() (backend.Event, error) {
	e := &event{device: d, site: d.site()}
	var err error
	if e.id, err = d.keep("new event", e); err != nil {
		return nil, err
	}
	return e, nil
}

// event returns the event as one of this device that is open.
func (s *stream) event(op string, e backend.Event) (*event, error) {
	own, ok := e.(*event)
	if !ok || own == nil || own.device != s.device {
		return nil, &backend.ArgumentError{Op: op, Arg: "event", Value: foreign(e),
			Allowed: "an event of this device"}
	}
	if own.closed.Load() {
		return nil, &backend.ClosedError{Op: op, What: "event"}
	}
	return own, nil
}

func (s *stream) Record(e backend.Event) error {
	const op = "record event"
	own, err := s.event(op, e)
	if err != nil {
		return err
	}
	if err := s.lock(op); err != nil {
		return err
	}
	defer s.mu.Unlock()
	c := s.live()
	var before clock
	if c != nil {
		if s.parent != nil {
			return c.refuse(s, op, "the body of a conditional holds no events: whether it runs is known on the device alone")
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
	own.recorded, own.capture, own.before = true, c, before
	return nil
}

// Wait makes the work that follows on this stream come after the event. Waiting for an event of a capture joins it.
func (s *stream) Wait(e backend.Event) error {
	const op = "wait for event"
	own, err := s.event(op, e)
	if err != nil {
		return err
	}
	if err := s.lock(op); err != nil {
		return err
	}
	defer s.mu.Unlock()
	own.mu.Lock()
	recorded, of, before := own.recorded, own.capture, own.before
	own.mu.Unlock()
	c := s.live()
	switch {
	case of == nil && c != nil && recorded:
		return c.refuse(s, op, "the event was recorded outside the capture, and a replay could not wait for it")
	case of == nil:
		return nil // its work has run, or there is none
	case c != nil && c != of:
		return c.refuse(s, op, "the event belongs to another capture")
	case c != nil && s.parent != nil:
		return c.refuse(s, op, "the body of a conditional holds no events: whether it runs is known on the device alone")
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

// Sync waits for nothing: the work before the event has run.
func (e *event) Sync() error {
	const op = "sync event"
	if err := e.device.usable(op); err != nil {
		return err
	}
	if e.closed.Load() {
		return &backend.ClosedError{Op: op, What: "event"}
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.capture != nil {
		return &backend.CaptureError{Op: op, State: backend.CaptureNone,
			Reason: "the event was recorded in a capture, whose work does not run"}
	}
	return nil
}

func (e *event) Close() error {
	e.device.forget(e.id)
	e.release()
	return nil
}

func (e *event) release() { e.closed.Store(true) }

func (e *event) leak() backend.Leak { return backend.Leak{Kind: "event", Site: e.site} }
