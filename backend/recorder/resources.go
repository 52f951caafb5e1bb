package recorder

import (
	"fmt"
	"slices"

	"github.com/trackgen-go/trackgen/backend"
	"github.com/trackgen-go/trackgen/internal/site"
)

// Resource is something that is open until its Close, and that the device can release and list.
type Resource interface {
	// Release gives it up when the device is being closed. Twice is a no-op.
	Release()
	Leak() backend.Leak
}

// Closed tells whether the device has been closed.
func (d *Device) Closed() bool { return d.closed.Load() }

// Usable returns an error if the device is closed.
func (d *Device) Usable(op string) error {
	if d.closed.Load() {
		return &backend.ClosedError{Op: op, What: "device"}
	}
	return nil
}

// ended is the error of a call in a capture that has ended: it was dropped if the device has been closed meanwhile.
func (d *Device) ended(op string) error {
	if err := d.Usable(op); err != nil {
		return err
	}
	return &backend.CaptureError{Op: op, State: backend.CaptureNone, Reason: "the capture has ended"}
}

// enter keeps the device open until leave, or says why it is of no use.
func (d *Device) enter(op string) error {
	if err := d.Usable(op); err != nil {
		return err
	}
	if d.guard != nil {
		return d.guard.Enter(op)
	}
	return nil
}

func (d *Device) leave() {
	if d.guard != nil {
		d.guard.Leave()
	}
}

// list adds an open resource, which is complete, to the list and sets its identity, which grows with every resource
// made. From then on Close of the device may release it.
func (d *Device) list(op string, r Resource, id *uint64) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if err := d.Usable(op); err != nil {
		return err
	}
	d.made++
	*id = d.made
	d.resources[d.made] = r
	return nil
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
	return site.Outside()
}

// releaseAll releases what is open, in the order in which it was made, and lists it in a *backend.LeakError. The
// list stays complete until the end, because what is released may wait for streams on it.
func (d *Device) releaseAll() error {
	d.mu.Lock()
	ids := make([]uint64, 0, len(d.resources))
	left := make(map[uint64]Resource, len(d.resources))
	for id, r := range d.resources {
		ids = append(ids, id)
		left[id] = r
	}
	d.mu.Unlock()
	slices.Sort(ids)
	var leaks []backend.Leak
	for _, id := range ids {
		leaks = append(leaks, left[id].Leak())
		left[id].Release()
	}
	d.mu.Lock()
	clear(d.resources)
	d.mu.Unlock()
	if len(leaks) > 0 {
		return &backend.LeakError{Device: d.driver.Info().Name, Leaks: leaks}
	}
	return nil
}

// Stranger describes something that is not of this device, for an error message.
func Stranger(value any) string {
	switch value.(type) {
	case nil:
		return "nil"
	case Resource:
		return "nil or of another device"
	default:
		return fmt.Sprintf("a %T", value)
	}
}
