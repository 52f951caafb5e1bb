package cpu

import (
	"fmt"
	"sync/atomic"
	"unsafe"

	"github.com/trackgen-go/trackgen/backend"
	"github.com/trackgen-go/trackgen/internal/references"
)

// memory is an allocation on the Go heap, zero at first and aligned to 64 bytes. Its buffer holds a reference, and so
// does every capture and graph that uses it; the last one to let go gives the bytes back to the budget and drops the
// pointer. A call that is using the memory at that moment goes on, and the garbage collector takes it afterwards.
type memory struct {
	device     *device
	bytes      int64
	base       atomic.Pointer[byte] // first byte, nil once there is no reference
	references references.Count
}

// allocate takes zeroed memory from the budget. The caller has the only reference.
func (d *device) allocate(op string, bytes int64) (*memory, error) {
	if bytes <= 0 {
		return nil, &backend.ArgumentError{Op: op, Arg: "bytes", Value: fmt.Sprint(bytes), Allowed: "1 or more"}
	}
	if err := d.usable(op); err != nil {
		return nil, err
	}
	if err := d.memory.take(bytes); err != nil {
		return nil, err
	}
	m := &memory{device: d, bytes: bytes}
	m.base.Store(unsafe.SliceData(allocate(bytes)))
	m.references.Begin()
	return m, nil
}

func (m *memory) retain() bool { return m.references.Retain() }

func (m *memory) release() {
	if m.references.Release() {
		m.base.Store(nil)
		m.device.memory.give(m.bytes)
	}
}

// data returns the bytes, or false if there is no reference any more.
func (m *memory) data() ([]byte, bool) {
	base := m.base.Load()
	if base == nil {
		return nil, false
	}
	return unsafe.Slice(base, m.bytes), true
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
	m, err := d.allocate(op, bytes)
	if err != nil {
		return nil, err
	}
	b := &buffer{device: d, memory: m, site: d.site()}
	if b.id, err = d.keep(op, b); err != nil {
		b.release()
		return nil, err
	}
	return b, nil
}

func (b *buffer) Device() backend.Device { return b.device }

func (b *buffer) Bytes() int64 { return b.memory.bytes }

func (b *buffer) Close() error {
	b.device.forget(b.id)
	b.release()
	return nil
}

func (b *buffer) release() {
	if !b.closed.Swap(true) {
		b.memory.release()
	}
}

func (b *buffer) leak() backend.Leak {
	return backend.Leak{Kind: "buffer", Bytes: b.memory.bytes, Site: b.site}
}

// hostBuffer is host memory, which is no other memory here.
type hostBuffer struct {
	device *device
	id     uint64
	memory *memory
	closed atomic.Bool
	site   string
}

func (d *device) AllocHost(bytes int64) (backend.HostBuffer, error) {
	const op = "allocate host memory"
	m, err := d.allocate(op, bytes)
	if err != nil {
		return nil, err
	}
	h := &hostBuffer{device: d, memory: m, site: d.site()}
	if h.id, err = d.keep(op, h); err != nil {
		h.release()
		return nil, err
	}
	return h, nil
}

// Bytes returns the memory, nil once it is closed.
func (h *hostBuffer) Bytes() []byte {
	if h.closed.Load() {
		return nil
	}
	data, _ := h.memory.data()
	return data
}

func (h *hostBuffer) Close() error {
	h.device.forget(h.id)
	h.release()
	return nil
}

func (h *hostBuffer) release() {
	if !h.closed.Swap(true) {
		h.memory.release()
	}
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

// span checks a view. Offsets and kernel arguments are multiples of 4 bytes everywhere, so that every backend can bind
// them.
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
		return span{}, &backend.ArgumentError{Op: op, Arg: arg, Value: foreign(v.Buffer),
			Allowed: "a buffer of this device"}
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

// pointer returns the first byte, nil if there is no buffer, or false if the buffer of eager work has been closed since
// it was checked.
func (s span) pointer() (unsafe.Pointer, bool) {
	if s.memory == nil {
		return nil, true
	}
	base := s.memory.base.Load()
	if base == nil {
		return nil, false
	}
	return unsafe.Add(unsafe.Pointer(base), s.offset), true
}

// data returns the bytes, or false as pointer does.
func (s span) data() ([]byte, bool) {
	pointer, open := s.pointer()
	if !open {
		return nil, false
	}
	return unsafe.Slice((*byte)(pointer), s.bytes), true
}

// overlaps tells whether two spans share a byte.
func (s span) overlaps(t span) bool {
	return s.memory == t.memory && s.offset < t.offset+t.bytes && t.offset < s.offset+s.bytes
}
