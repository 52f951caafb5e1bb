//go:build cgo && linux

package vulkan

import (
	"maps"
	"sync"
	"sync/atomic"

	"github.com/trackgen-go/trackgen/backend"
)

// event is a point in a stream: outside captures a value of the timeline, inside a capture the dependencies from one
// stream to another.
type event struct {
	device *device
	id     uint64
	site   string
	closed atomic.Bool

	mu       sync.Mutex
	recorded bool
	value    uint64   // of the timeline, if recorded outside captures
	capture  *capture // in which it was recorded last, nil if outside
	before   clock    // in that capture
}

func (d *device) NewEvent() (backend.Event, error) {
	if err := d.enter("new event"); err != nil {
		return nil, err
	}
	defer d.leave()
	e := &event{device: d, site: d.site()}
	e.id = d.keep(e)
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

// Record submits the work emitted so far, so that an event always stands for work that is on its way.
func (s *stream) Record(e backend.Event) error {
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
	if c == nil {
		if err := s.flush(); err != nil {
			return err
		}
	} else {
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
	own.recorded, own.value, own.capture, own.before = true, s.point(), c, before
	return nil
}

// Wait makes the work that follows on this stream come after the event. Work of the batch that is being recorded may
// come after it too. Waiting for an event of a capture joins it.
func (s *stream) Wait(e backend.Event) error {
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
	recorded, value, of, before := own.recorded, own.value, own.capture, own.before
	own.mu.Unlock()
	c := s.live()
	switch {
	case of == nil && c != nil && recorded:
		return c.refuse(s, op, "the event was recorded outside the capture, and a replay could not wait for it")
	case of == nil:
		s.after = max(s.after, value)
		return nil
	case of.ended.Load():
		return &backend.CaptureError{Op: op, State: backend.CaptureNone, Reason: "the event belongs to a capture that has ended"}
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

// Sync blocks until the work before the event has run.
func (e *event) Sync() error {
	const op = "sync event"
	if err := e.device.enter(op); err != nil {
		return err
	}
	defer e.device.leave()
	if e.closed.Load() {
		return &backend.ClosedError{Op: op, What: "event"}
	}
	e.mu.Lock()
	value, capture := e.value, e.capture
	e.mu.Unlock()
	if capture != nil {
		return &backend.CaptureError{Op: op, State: backend.CaptureNone,
			Reason: "the event was recorded in a capture, whose work does not run"}
	}
	return e.device.queue.wait(value)
}

func (e *event) Close() error {
	e.device.forget(e.id)
	e.release()
	return nil
}

func (e *event) release() { e.closed.Store(true) }

func (e *event) leak() backend.Leak { return backend.Leak{Kind: "event", Site: e.site} }
