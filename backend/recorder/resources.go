package recorder

import (
	"fmt"
	"slices"

	"github.com/trackgen-go/trackgen/backend"
	"github.com/trackgen-go/trackgen/internal/site"
)

// Resource is something that is open until its Close. The device can release it, and list it as a leak.
type Resource interface {
	// Release gives the resource up when the device is being closed. A second call does nothing.
	Release()
	Leak() backend.Leak
}

// Closed returns whether the device has been closed.
func (d *Device) Closed() bool { return d.closed.Load() }

// Usable returns an error if the device is closed.
func (d *Device) Usable(op string) error {
	if d.closed.Load() {
		return &backend.ClosedError{Op: op, What: "device"}
	}
	return nil
}

// ended returns the error of a call in a capture that has ended. If the device has been closed meanwhile, that is the
// reason why the capture was dropped.
func (d *Device) ended(op string) error {
	if err := d.Usable(op); err != nil {
		return err
	}
	return &backend.CaptureError{Op: op, State: backend.CaptureNone, Reason: "the capture has ended"}
}

// enter keeps the device open until leave. It returns an error if the device is closed or lost.
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

// list adds an open resource to the list and sets its identity, which increases with every resource made. The resource
// must be complete, because from then on Close of the device may release it.
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

// forget removes a closed resource from the list.
func (d *Device) forget(id uint64) {
	d.mu.Lock()
	defer d.mu.Unlock()
	delete(d.resources, id)
}

// site returns file:line of the first caller outside the library, for the leak report. It is empty unless the device is
// in debug mode.
func (d *Device) site() string {
	if !d.debug {
		return ""
	}
	return site.Outside()
}

// releaseAll releases the open resources in the order in which they were made, and returns a *backend.LeakError that
// lists them. The list stays complete until the end, because a release may wait for the streams in it.
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

// Stranger describes a value that does not belong to this device, for an error message.
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
