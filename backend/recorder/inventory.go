package recorder

import (
	"fmt"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/trackgen-go/trackgen/backend"
	"github.com/trackgen-go/trackgen/internal/site"
)

// Inventory is what was made on a device and is still open: its buffers, and whatever else is kept in it. It checks
// views of its buffers. A backend whose streams are the driver's own embeds an Inventory instead of a Device.
type Inventory struct {
	self   backend.Device
	source Source
	debug  bool
	closed atomic.Bool

	mu        sync.Mutex
	made      uint64              // resources made so far: the identity of the last one
	resources map[uint64]Resource // those still open
}

// Source is the part of a Driver that an Inventory needs.
type Source interface {
	Info() backend.Info

	// Enter keeps the device open until Leave, or says why it is of no use. A call that holds a stream has entered.
	Enter(op string) error
	Leave()

	// Allocate returns device memory, zero at first use, and AllocateHost memory that Bytes of a host buffer
	// returns, zero too. The caller gets the only reference.
	Allocate(op string, bytes int64) (Memory, error)
	AllocateHost(op string, bytes int64) (HostMemory, error)
	// Collect is called after Close of a buffer: what nobody has a reference to can be given back.
	Collect() error
}

// Resource is something that is open until its Close, and that the device can release and list.
type Resource interface {
	// Release gives it up when the device is being closed. Twice is a no-op.
	Release()
	Leak() backend.Leak
}

// Start makes the inventory empty. self is the device as users get it; debug keeps the sites of resources for the
// leak report.
func (v *Inventory) Start(self backend.Device, source Source, debug bool) {
	v.self, v.source, v.debug = self, source, debug
	v.resources = make(map[uint64]Resource)
}

// Closed tells whether the device has been closed.
func (v *Inventory) Closed() bool { return v.closed.Load() }

// Usable returns an error if the device is closed.
func (v *Inventory) Usable(op string) error {
	if v.closed.Load() {
		return &backend.ClosedError{Op: op, What: "device"}
	}
	return nil
}

// Ended is the error of a call in a capture that has ended: it was dropped if the device has been closed meanwhile.
func (v *Inventory) Ended(op string) error {
	if err := v.Usable(op); err != nil {
		return err
	}
	return &backend.CaptureError{Op: op, State: backend.CaptureNone, Reason: "the capture has ended"}
}

// enter keeps the device open until leave, or says why it is of no use.
func (v *Inventory) enter(op string) error {
	if err := v.Usable(op); err != nil {
		return err
	}
	return v.source.Enter(op)
}

func (v *Inventory) leave() { v.source.Leave() }

// Keep adds an open resource, which is complete, to the list and sets its identity, which grows with every resource
// made. From then on Close of the device may release it.
func (v *Inventory) Keep(op string, r Resource, id *uint64) error {
	v.mu.Lock()
	defer v.mu.Unlock()
	if err := v.Usable(op); err != nil {
		return err
	}
	v.made++
	*id = v.made
	v.resources[v.made] = r
	return nil
}

// Forget takes a closed resource off the list.
func (v *Inventory) Forget(id uint64) {
	v.mu.Lock()
	defer v.mu.Unlock()
	delete(v.resources, id)
}

// Each calls f with every open resource, in no order. f makes and closes none.
func (v *Inventory) Each(f func(Resource)) {
	v.mu.Lock()
	defer v.mu.Unlock()
	for _, r := range v.resources {
		f(r)
	}
}

// Site returns file:line of the first caller outside the library, for the leak report; empty unless in debug mode.
func (v *Inventory) Site() string {
	if !v.debug {
		return ""
	}
	return site.Outside()
}

// Shut refuses all calls from now on. It tells whether this call has closed the device.
func (v *Inventory) Shut() bool {
	v.mu.Lock()
	defer v.mu.Unlock()
	return !v.closed.Swap(true)
}

// ReleaseAll releases what is open, in the order in which it was made, and lists it in a *backend.LeakError. The
// list stays complete until the end, because what is released may wait for streams on it.
func (v *Inventory) ReleaseAll() error {
	v.mu.Lock()
	ids := make([]uint64, 0, len(v.resources))
	left := make(map[uint64]Resource, len(v.resources))
	for id, r := range v.resources {
		ids = append(ids, id)
		left[id] = r
	}
	v.mu.Unlock()
	slices.Sort(ids)
	var leaks []backend.Leak
	for _, id := range ids {
		leaks = append(leaks, left[id].Leak())
		left[id].Release()
	}
	v.mu.Lock()
	clear(v.resources)
	v.mu.Unlock()
	if len(leaks) > 0 {
		return &backend.LeakError{Device: v.source.Info().Name, Leaks: leaks}
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
