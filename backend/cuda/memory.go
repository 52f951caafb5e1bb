//go:build cgo && linux

package cuda

import (
	"fmt"
	"sync/atomic"
	"unsafe"

	"github.com/trackgen-go/trackgen/backend"
	"github.com/trackgen-go/trackgen/internal/references"
)

// memory is an allocation of the driver. Its buffer, the work that is being emitted and every graph that uses it hold a
// reference each; the last one to let go gives it back to the driver.
type memory struct {
	device     *device
	kind       int // disposeMemory or disposeHost
	address    uint64
	bytes      int64
	references references.Count
}

// retain takes a reference, unless there is none left.
func (m *memory) retain() bool { return m.references.Retain() }

// release lets go of a reference. The memory is disposed of by the next collect.
func (m *memory) release() {
	if m.references.Release() {
		m.device.discard(disposal{m.kind, m.address, m.bytes})
		m.device.held.Add(-1)
	}
}

// buffer is device memory.
type buffer struct {
	device *device
	id     uint64
	memory *memory
	closed atomic.Bool
	site   string
}

func (d *device) Alloc(bytes int64) (backend.Buffer, error) {
	const op = "allocate"
	if err := d.enter(op); err != nil {
		return nil, err
	}
	defer d.leave()
	m, err := d.allocate(op, bytes)
	if err != nil {
		return nil, err
	}
	b := &buffer{device: d, memory: m, site: d.site()}
	if err := d.keep(op, b, &b.id); err != nil {
		b.release()
		return nil, err
	}
	return b, nil
}

// allocate allocates device memory, with one reference. The caller has entered the device.
func (d *device) allocate(op string, bytes int64) (*memory, error) {
	if err := d.reserve(op, bytes); err != nil {
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

// reserve checks a size and counts it against the limit of the device, after what waits to be given back if need be.
func (d *device) reserve(op string, bytes int64) error {
	if bytes <= 0 {
		return &backend.ArgumentError{Op: op, Arg: "bytes", Value: fmt.Sprint(bytes), Allowed: "1 or more"}
	}
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

// allocationError is an allocation that the driver refused for want of memory.
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

func (b *buffer) Device() backend.Device { return b.device }

func (b *buffer) Bytes() int64 { return b.memory.bytes }

// Close lets go of the memory. It waits for the work that uses it, unless somebody else's capture is open: then the
// memory is given back later.
func (b *buffer) Close() error {
	b.device.forget(b.id)
	if !b.release() {
		return nil
	}
	return b.device.collect()
}

func (b *buffer) release() bool {
	if b.closed.Swap(true) {
		return false
	}
	b.memory.release()
	return true
}

func (b *buffer) leak() backend.Leak {
	return backend.Leak{Kind: "buffer", Bytes: b.memory.bytes, Site: b.site}
}

// hostBuffer is pinned host memory.
type hostBuffer struct {
	device *device
	id     uint64
	memory *memory
	data   atomic.Pointer[[]byte] // nil once closed
	site   string
}

func (d *device) AllocHost(bytes int64) (backend.HostBuffer, error) {
	const op = "allocate host memory"
	if err := d.enter(op); err != nil {
		return nil, err
	}
	defer d.leave()
	if err := d.reserve(op, bytes); err != nil {
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
	h := &hostBuffer{device: d, memory: d.newMemory(disposeHost, uint64(uintptr(p)), bytes), site: d.site()}
	data := unsafe.Slice((*byte)(p), bytes)
	h.data.Store(&data)
	if err := d.keep(op, h, &h.id); err != nil {
		h.release()
		return nil, err
	}
	return h, nil
}

// Bytes returns the memory, nil once it is closed. It is not of the Go heap: a slice of it is of no use after Close.
func (h *hostBuffer) Bytes() []byte {
	if data := h.data.Load(); data != nil {
		return *data
	}
	return nil
}

// Close lets go of the memory, as Close of a buffer does.
func (h *hostBuffer) Close() error {
	h.device.forget(h.id)
	if !h.release() {
		return nil
	}
	return h.device.collect()
}

func (h *hostBuffer) release() bool {
	if h.data.Swap(nil) == nil {
		return false
	}
	h.memory.release()
	return true
}

func (h *hostBuffer) leak() backend.Leak {
	return backend.Leak{Kind: "host buffer", Bytes: h.memory.bytes, Site: h.site}
}

// span is a view whose buffer is known to be of this device and whose range lies within it.
type span struct {
	memory *memory // nil only if bytes is 0
	offset int64
	bytes  int64
}

// span checks a view. Offsets and kernel arguments are multiples of 4 bytes everywhere.
func (d *device) span(op, arg string, v backend.View) (span, error) {
	if v.Buffer == nil {
		if v.Bytes == 0 && v.Offset == 0 {
			return span{}, nil
		}
		return span{}, &backend.ArgumentError{Op: op, Arg: arg,
			Value: fmt.Sprintf("a view of %d bytes at %d without a buffer", v.Bytes, v.Offset), Allowed: "a buffer"}
	}
	b, ok := v.Buffer.(*buffer)
	if !ok || b == nil || b.device != d {
		return span{}, &backend.ArgumentError{Op: op, Arg: arg, Value: foreign(v.Buffer), Allowed: "a buffer of this device"}
	}
	size := b.memory.bytes
	if v.Offset < 0 || v.Bytes < 0 || v.Offset > size || v.Bytes > size-v.Offset || v.Offset%4 != 0 {
		return span{}, &backend.ArgumentError{Op: op, Arg: arg,
			Value:   fmt.Sprintf("%d bytes at offset %d", v.Bytes, v.Offset),
			Allowed: fmt.Sprintf("a range at a multiple of 4 within the %d bytes of the buffer", size)}
	}
	if b.closed.Load() {
		return span{}, &backend.ClosedError{Op: op, What: arg + " buffer"}
	}
	return span{memory: b.memory, offset: v.Offset, bytes: v.Bytes}, nil
}

// address returns the address of the first byte, 0 if there is no buffer.
func (s span) address() uint64 {
	if s.memory == nil {
		return 0
	}
	return s.memory.address + uint64(s.offset)
}

// overlaps tells whether two spans share a byte.
func (s span) overlaps(t span) bool {
	return s.memory != nil && s.memory == t.memory && s.offset < t.offset+t.bytes && t.offset < s.offset+s.bytes
}
