//go:build cgo && linux

package cuda

import (
	"cmp"
	"errors"
	"slices"
	"sync"

	"github.com/trackgen-go/trackgen/backend/recorder"
)

// disposal is a handle to give back to the driver, or wrapped memory to give back to its owner. Nothing is given back
// while a capture of somebody else is open in the process, because the calls would invalidate a capture in global mode.
type disposal struct {
	kind   int // a dispose constant; disposals are done in the order of these constants
	handle uint64
	bytes  int64           // of memory, else 0
	owner  *recorder.Owner // of wrapped memory
}

// discard adds a disposal to the list of pending ones.
func (d *device) discard(what disposal) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.pending = append(d.pending, what)
}

// Collect gives back what is pending, after the work that may use it has run. It does nothing while a foreign capture
// is open.
func (d *device) Collect() error {
	reap()
	orphans.sweep()
	return d.giveBack()
}

// relieve collects and returns whether something was given back, so that an allocation that failed may succeed when
// tried again.
func (d *device) relieve() bool {
	reap()
	waiting := func() int {
		d.mu.Lock()
		defer d.mu.Unlock()
		return len(d.pending)
	}
	before := waiting()
	return d.Collect() == nil && waiting() < before
}

func (d *device) giveBack() error {
	d.disposing.Lock()
	defer d.disposing.Unlock()
	if captures.open() {
		return nil
	}
	d.mu.Lock()
	pending := d.pending
	d.pending = nil
	busy := d.busy(pending)
	d.mu.Unlock()
	if len(pending) == 0 {
		return nil
	}
	const op = "give back to the driver"
	var all error
	for _, handle := range busy {
		capturing, f := d.context.settle(handle)
		all = errors.Join(all, f.as(d.info.Name, op))
		if f.failed() { // memory must not be freed while it may be in use: try once more
			capturing, _ = d.context.settle(handle)
		}
		if capturing { // somebody has begun a capture that we had not seen: wait until it has ended
			d.mu.Lock()
			d.pending = append(pending, d.pending...)
			d.mu.Unlock()
			return all
		}
	}
	slices.SortStableFunc(pending, func(a, b disposal) int { return cmp.Compare(a.kind, b.kind) })
	for _, what := range pending {
		if what.kind == disposeOwner {
			what.owner.Release()
			continue
		}
		released, f := d.context.dispose(what.kind, what.handle)
		if released {
			d.reserved.Add(-what.bytes)
		} else {
			d.discard(what)
		}
		all = errors.Join(all, f.as(d.info.Name, op))
	}
	return all
}

// busy returns the streams to wait for before pending handles are given back: the streams among them, which cannot be
// waited for afterwards, and all streams of the device if memory is among them. The caller holds d.mu.
func (d *device) busy(pending []disposal) []streamHandle {
	var handles []streamHandle
	memory := false
	for _, what := range pending {
		switch what.kind {
		case disposeStream:
			handles = append(handles, streamHandle(what.handle))
		case disposeMemory, disposeHost, disposeOwner:
			memory = true
		}
	}
	if memory {
		for q := range d.queues {
			handles = append(handles, q.handle)
		}
	}
	return handles
}

// finish releases the modules and the context of a closed device, once nothing of it is in use any more.
func (d *device) finish() error {
	d.disposing.Lock()
	defer d.disposing.Unlock()
	d.mu.Lock()
	// A body that is still open holds memory even after everything was closed.
	if d.finished || d.outstanding > 0 || d.held.Load() > 0 || len(d.pending) > 0 || d.compiler.compiling > 0 ||
		captures.open() {
		if !d.finished {
			orphans.add(d) // under the mutex, so that who ends the last of these finds it
		}
		d.mu.Unlock()
		return nil
	}
	d.finished = true
	modules := d.loaded
	d.mu.Unlock()
	const op = "close the device"
	var all error
	for _, m := range modules {
		_, f := d.context.dispose(disposeModule, uint64(m))
		all = errors.Join(all, f.as(d.info.Name, op))
	}
	return errors.Join(all, d.context.close().as(d.info.Name, op))
}

// orphans are closed devices that graphs of somebody else, an open foreign capture or the driver's compiler still keep.
// They are finished when the compiler returns, or when a graph, a buffer or a device is next closed or opened.
var orphans orphanage

type orphanage struct {
	mu      sync.Mutex
	devices map[*device]struct{}
}

func (o *orphanage) add(d *device) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.devices == nil {
		o.devices = make(map[*device]struct{})
	}
	o.devices[d] = struct{}{}
}

// sweep tries again to finish closed devices.
func (o *orphanage) sweep() {
	o.mu.Lock()
	left := o.devices
	o.devices = nil
	o.mu.Unlock()
	for d := range left {
		_ = d.giveBack() // the device is closed, so no caller can receive the error
		_ = d.finish()
	}
}
