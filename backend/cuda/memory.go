//go:build cgo && linux

package cuda

import (
	"fmt"
	"unsafe"

	"github.com/trackgen-go/trackgen/backend"
	"github.com/trackgen-go/trackgen/backend/recorder"
	"github.com/trackgen-go/trackgen/internal/references"
)

// memory is an allocation of the driver, or wrapped. Its buffer, the work that is being emitted and every graph that
// uses it hold one reference each. When the last one is released, the memory is given back to the driver or to its
// owner.
type memory struct {
	device     *device
	kind       int // disposeMemory, disposeHost or disposeOwner
	address    uint64
	bytes      int64           // that count against the limit of the device: 0 if it was wrapped
	host       unsafe.Pointer  // of host memory
	owner      *recorder.Owner // of wrapped memory
	references references.Count
}

// Retain implements recorder.Keeper.
func (m *memory) Retain() bool { return m.references.Retain() }

// Release implements recorder.Keeper. The memory is freed by the next Collect.
func (m *memory) Release() {
	if m.references.Release() {
		m.device.discard(disposal{kind: m.kind, handle: m.address, bytes: m.bytes, owner: m.owner})
		m.device.held.Add(-1)
	}
}

// allocate allocates device memory with one reference. The caller has entered the device.
func (d *device) allocate(op string, bytes int64) (*memory, error) {
	if err := d.reserve(bytes); err != nil {
		return nil, err
	}
	address, available, f := d.context.allocate(bytes)
	if f.code == codeOutOfMemory && d.relieve() {
		address, available, f = d.context.allocate(bytes)
	}
	if f.failed() {
		d.reserved.Add(-bytes)
		return nil, d.allocationError(op, bytes, available, f)
	}
	return d.newMemory(disposeMemory, address, bytes), nil
}

func (d *device) newMemory(kind int, address uint64, bytes int64) *memory {
	m := &memory{device: d, kind: kind, address: address, bytes: bytes}
	m.references.Begin()
	d.held.Add(1)
	return m
}

// reserve counts bytes against the limit of the device. If the limit would be exceeded, it first gives back what is
// pending.
func (d *device) reserve(bytes int64) error {
	for relieved := false; ; {
		used := d.reserved.Load()
		if left := max(d.limit-used, 0); bytes > left {
			if !relieved && d.relieve() {
				relieved = true
				continue
			}
			return &backend.OutOfMemoryError{Device: d.info.Name, Bytes: bytes, Limit: left}
		}
		if d.reserved.CompareAndSwap(used, used+bytes) {
			return nil
		}
	}
}

// allocationError is the error of an allocation that the driver refused because too little memory is left.
type allocationError struct {
	driver error
	memory *backend.OutOfMemoryError
}

func (e *allocationError) Error() string {
	return fmt.Sprintf("%v: %d bytes asked for, at most %d bytes can be had", e.driver, e.memory.Bytes, e.memory.Limit)
}

func (e *allocationError) Unwrap() []error { return []error{e.driver, e.memory} }

func (d *device) allocationError(op string, bytes, available int64, f failure) error {
	if f.code == codeOutOfMemory {
		return &allocationError{driver: f.as(d.info.Name, op),
			memory: &backend.OutOfMemoryError{Device: d.info.Name, Bytes: bytes, Limit: min(available, bytes-1)}}
	}
	return f.as(d.info.Name, op)
}

// Allocate implements recorder.Driver.
func (d *device) Allocate(op string, bytes int64) (recorder.Memory, error) {
	m, err := d.allocate(op, bytes)
	if err != nil {
		return nil, err
	}
	return m, nil
}

// AllocateHost returns pinned host memory, which is not part of the Go heap.
func (d *device) AllocateHost(op string, bytes int64) (recorder.HostMemory, error) {
	if err := d.reserve(bytes); err != nil {
		return nil, err
	}
	p, f := d.context.allocateHost(bytes)
	if f.code == codeOutOfMemory && d.relieve() {
		p, f = d.context.allocateHost(bytes)
	}
	if f.failed() {
		d.reserved.Add(-bytes)
		return nil, d.allocationError(op, bytes, bytes-1, f)
	}
	m := d.newMemory(disposeHost, uint64(uintptr(p)), bytes)
	m.host = p
	return m, nil
}

// Bytes implements recorder.HostMemory.
func (m *memory) Bytes() []byte { return unsafe.Slice((*byte)(m.host), m.bytes) }

// Address implements backend.Addresser.
func (m *memory) Address() uintptr { return uintptr(m.address) }
