package recorder

import (
	"fmt"
	"sync"
	"sync/atomic"

	"github.com/trackgen-go/trackgen/backend"
	"github.com/trackgen-go/trackgen/kernel"
)

// Device is the part of a backend.Device that does not depend on the driver: the streams, buffers, events and graphs
// that were made on it. A backend embeds a Device and calls Start before anything else.
//
// Locks are taken in this order: the lock of the driver's Enter, a stream, an event, a capture, other locks of the
// driver.
type Device struct {
	self   backend.Device // the device that users hold
	driver Driver
	guard  Guard  // the driver, if it implements Guard
	poller Poller // the driver, if it implements Poller
	limits Limits
	debug  bool
	closed atomic.Bool

	base    *Stream // the default stream
	current atomic.Pointer[Stream]

	mu        sync.Mutex
	made      uint64              // number of resources made so far, which is the identity of the last one
	resources map[uint64]Resource // the open ones
}

// Start makes the default stream. self is the device that users hold. In debug mode, the leak report says where each
// resource was made.
func (d *Device) Start(self backend.Device, driver Driver, limits Limits, debug bool) error {
	d.self, d.driver, d.limits, d.debug = self, driver, limits, debug
	d.guard, _ = driver.(Guard)
	d.poller, _ = driver.(Poller)
	d.resources = make(map[uint64]Resource)
	s, err := d.newStream()
	if err != nil {
		return err
	}
	d.base = s
	d.current.Store(s)
	return nil
}

// enterLost is enter for calls that are also allowed on a lost device.
func (d *Device) enterLost() bool {
	if d.guard != nil && !d.guard.Hold() {
		return false
	}
	if d.closed.Load() {
		d.leave()
		return false
	}
	return true
}

// newStream makes a stream with a queue.
func (d *Device) newStream() (*Stream, error) {
	s, self := d.driver.MakeStream()
	s.device, s.self = d, self
	var err error
	s.queue, err = d.driver.NewQueue(s)
	s.native, _ = s.queue.(ForeignQueue)
	return s, err
}

// NewStream implements backend.Device.
func (d *Device) NewStream() (backend.Stream, error) {
	const op = "new stream"
	if err := d.enter(op); err != nil {
		return nil, err
	}
	defer d.leave()
	s, err := d.newStream()
	if err != nil {
		return nil, err
	}
	s.site = d.site()
	if err := d.list(op, s, &s.id); err != nil {
		s.Release()
		return nil, err
	}
	return s.self, nil
}

// DefaultStream implements backend.Device.
func (d *Device) DefaultStream() backend.Stream { return d.base.self }

// CurrentStream implements backend.Device.
func (d *Device) CurrentStream() backend.Stream { return d.current.Load().self }

// SetCurrentStream makes s the current stream; nil means the default stream.
func (d *Device) SetCurrentStream(s backend.Stream) error {
	const op, allowed = "set current stream", "a stream of this device"
	if err := d.enter(op); err != nil {
		return err
	}
	defer d.leave()
	if s == nil {
		d.current.Store(d.base)
		return nil
	}
	own := recorded(s)
	switch {
	case own == nil || own.device != d:
		return &backend.ArgumentError{Op: op, Argument: "stream", Value: Stranger(s), Allowed: allowed}
	case own.parent != nil:
		return &backend.ArgumentError{Op: op, Argument: "stream", Value: "that of a conditional body", Allowed: allowed}
	case own.closed.Load():
		return &backend.ClosedError{Op: op, What: "stream"}
	}
	d.current.Store(own)
	return nil
}

// recorded returns the *Stream inside a stream of this package, nil for any other value.
func recorded(s backend.Stream) *Stream {
	switch s := s.(type) {
	case *Stream:
		return s
	case *Looping:
		if s != nil {
			return &s.Stream
		}
	case *Polling:
		if s != nil {
			return &s.Stream
		}
	case *Adoptable:
		if s != nil {
			return &s.Stream
		}
	}
	return nil
}

// Load implements backend.Device.
func (d *Device) Load(defs ...*kernel.Def) error {
	const op = "load"
	if err := d.enter(op); err != nil {
		return err
	}
	defer d.leave()
	for i, def := range defs {
		if def == nil {
			return &backend.ArgumentError{Op: op, Argument: fmt.Sprintf("kernel %d", i), Value: "nil",
				Allowed: "a definition"}
		}
		if err := d.driver.Runnable(def); err != nil {
			return err
		}
	}
	for _, def := range defs {
		if err := d.driver.Prepare(def); err != nil {
			return err
		}
	}
	return nil
}

// EachQueue calls f with the queue of every open stream and stops at the first error. It holds the stream during the
// call. The caller has entered the device and holds no stream.
func (d *Device) EachQueue(f func(Queue) error) error {
	streams := []*Stream{d.base}
	d.mu.Lock()
	for _, r := range d.resources {
		if s, ok := r.(*Stream); ok {
			streams = append(streams, s)
		}
	}
	d.mu.Unlock()
	withQueue := func(s *Stream) error {
		s.mu.Lock()
		defer s.mu.Unlock()
		return f(s.queue)
	}
	for _, s := range streams {
		if err := withQueue(s); err != nil {
			return err
		}
	}
	return nil
}

// Shut closes the device for all calls and releases what is still open, which a *backend.LeakError lists. first is true
// for the one call that closed the device.
func (d *Device) Shut() (first bool, err error) {
	d.mu.Lock()
	first = !d.closed.Swap(true)
	d.mu.Unlock()
	if !first {
		return false, nil
	}
	err = d.releaseAll()
	if d.base != nil {
		d.base.Release()
	}
	return true, err
}
