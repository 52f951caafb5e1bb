package recorder

import (
	"fmt"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/trackgen-go/trackgen/backend"
	"github.com/trackgen-go/trackgen/internal/site"
	"github.com/trackgen-go/trackgen/kernel"
)

// Device is the part of a backend.Device that does not depend on the driver: everything that was made on it. A backend
// embeds one and calls Start before anything else.
//
// Locks are taken in this order: what Enter of the driver takes, a stream, a capture, an event, what the driver takes.
type Device struct {
	self    backend.Device
	driver  Driver
	limits  Limits
	debug   bool
	closed  atomic.Bool
	base    *Stream // the default stream
	current atomic.Pointer[Stream]

	mu        sync.Mutex
	made      uint64              // resources made so far: the identity of the last one
	resources map[uint64]resource // those still open
}

// resource is something that is open until its Close, and that the device can release and list.
type resource interface {
	release()
	leak() backend.Leak
}

// Start makes the default stream. self is the device as users get it; debug keeps the sites of resources for the leak
// report.
func (d *Device) Start(self backend.Device, driver Driver, limits Limits, debug bool) error {
	d.self, d.driver, d.limits, d.debug = self, driver, limits, debug
	d.resources = make(map[uint64]resource)
	s, err := d.newStream()
	if err != nil {
		return err
	}
	d.base = s
	d.current.Store(s)
	return nil
}

// Closed tells whether the device has been closed.
func (d *Device) Closed() bool { return d.closed.Load() }

// usable returns an error if the device is closed.
func (d *Device) usable(op string) error {
	if d.closed.Load() {
		return &backend.ClosedError{Op: op, What: "device"}
	}
	return nil
}

// enter keeps the device open until leave, or says why it is of no use.
func (d *Device) enter(op string) error {
	if err := d.usable(op); err != nil {
		return err
	}
	return d.driver.Enter(op)
}

// hold is enter for what a lost device takes too.
func (d *Device) hold() bool { return !d.closed.Load() && d.driver.Hold() }

func (d *Device) leave() { d.driver.Leave() }

// keep adds an open resource to the list and returns its identity, which grows with every resource made.
func (d *Device) keep(op string, r resource) (uint64, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if err := d.usable(op); err != nil {
		return 0, err
	}
	d.made++
	d.resources[d.made] = r
	return d.made, nil
}

// forget takes a closed resource off the list.
func (d *Device) forget(id uint64) {
	d.mu.Lock()
	defer d.mu.Unlock()
	delete(d.resources, id)
}

// site returns file:line of the first caller outside the library, for the leak report; empty unless in debug mode.
func (d *Device) site() string {
	if !d.debug {
		return ""
	}
	return site.Outside("github.com/trackgen-go/trackgen/backend/recorder")
}

// stranger describes something that is not of this device, for an error message.
func stranger(value any) string {
	switch value.(type) {
	case nil:
		return "nil"
	case *Buffer, *HostBuffer, interface{ recorded() *Stream }, *Event, *Graph:
		return "nil or of another device"
	default:
		return fmt.Sprintf("a %T", value)
	}
}

// newStream makes a stream that runs work.
func (d *Device) newStream() (*Stream, error) {
	s, self := d.driver.MakeStream()
	s.device, s.self = d, self
	var err error
	s.queue, err = d.driver.NewQueue(s)
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
	if s.id, err = d.keep(op, s); err != nil {
		s.release()
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
	var own *Stream
	if recorded, ok := s.(interface{ recorded() *Stream }); ok {
		own = recorded.recorded()
	}
	switch {
	case own == nil || own.device != d:
		return &backend.ArgumentError{Op: op, Arg: "stream", Value: stranger(s), Allowed: allowed}
	case own.parent != nil:
		return &backend.ArgumentError{Op: op, Arg: "stream", Value: "that of a conditional body", Allowed: allowed}
	case own.closed.Load():
		return &backend.ClosedError{Op: op, What: "stream"}
	}
	d.current.Store(own)
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
			return &backend.ArgumentError{Op: op, Arg: fmt.Sprintf("kernel %d", i), Value: "nil", Allowed: "a definition"}
		}
		if err := d.driver.Prepare(def); err != nil {
			return err
		}
	}
	return nil
}

// EachQueue calls f with the queue of every open stream, which it holds meanwhile, and stops at the first error. The
// caller has entered the device and holds no stream.
func (d *Device) EachQueue(f func(Queue) error) error {
	d.mu.Lock()
	streams := []*Stream{d.base}
	for _, r := range d.resources {
		if s, ok := r.(*Stream); ok {
			streams = append(streams, s)
		}
	}
	d.mu.Unlock()
	for _, s := range streams {
		s.mu.Lock()
		err := f(s.queue)
		s.mu.Unlock()
		if err != nil {
			return err
		}
	}
	return nil
}

// Shut closes the device for all calls and releases what is still open, which a *backend.LeakError lists. It tells whether
// this call has closed it.
func (d *Device) Shut() (first bool, err error) {
	d.mu.Lock()
	if d.closed.Swap(true) {
		d.mu.Unlock()
		return false, nil
	}
	left := d.resources
	d.resources = nil
	d.mu.Unlock()

	ids := make([]uint64, 0, len(left))
	for id := range left {
		ids = append(ids, id)
	}
	slices.Sort(ids)
	var leaks []backend.Leak
	for _, id := range ids {
		leaks = append(leaks, left[id].leak())
		left[id].release()
	}
	if d.base != nil {
		d.base.release()
	}
	if len(leaks) > 0 {
		return true, &backend.LeakError{Device: d.driver.Info().Name, Leaks: leaks}
	}
	return true, nil
}
