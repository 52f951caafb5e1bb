package cpu

import (
	"fmt"
	"sync/atomic"
	"unsafe"

	"github.com/trackgen-go/trackgen/backend"
)

// buffer is device memory on the Go heap, zero at first and aligned to 64 bytes. Close drops the reference to it; work
// that is using the memory at that moment keeps it, and the garbage collector takes it afterwards.
type buffer struct {
	device *device
	id     uint64
	bytes  int64
	base   atomic.Pointer[byte] // first byte, nil once closed
	site   string
}

func (d *device) Alloc(bytes int64) (backend.Buffer, error) {
	const op = "allocate"
	b := &buffer{device: d, bytes: bytes, site: d.site()}
	data, err := d.reserve(op, bytes)
	if err != nil {
		return nil, err
	}
	b.base.Store(unsafe.SliceData(data))
	if b.id, err = d.keep(op, b); err != nil {
		b.release()
		return nil, err
	}
	return b, nil
}

// reserve takes zeroed memory from the budget.
func (d *device) reserve(op string, bytes int64) ([]byte, error) {
	if bytes <= 0 {
		return nil, &backend.ArgumentError{Op: op, Arg: "bytes", Value: fmt.Sprint(bytes), Allowed: "1 or more"}
	}
	if err := d.usable(op); err != nil {
		return nil, err
	}
	if err := d.memory.take(bytes); err != nil {
		return nil, err
	}
	return allocate(bytes), nil
}

func (b *buffer) Device() backend.Device { return b.device }

func (b *buffer) Bytes() int64 { return b.bytes }

func (b *buffer) Close() error {
	b.device.forget(b.id)
	b.release()
	return nil
}

func (b *buffer) release() {
	if b.base.Swap(nil) != nil {
		b.device.memory.give(b.bytes)
	}
}

func (b *buffer) open() bool { return b.base.Load() != nil }

func (b *buffer) leak() backend.Leak {
	return backend.Leak{Kind: "buffer", Bytes: b.bytes, Site: b.site}
}

// hostBuffer is host memory, which is no other memory here.
type hostBuffer struct {
	device *device
	id     uint64
	bytes  int64
	data   atomic.Pointer[[]byte] // nil once closed
	site   string
}

func (d *device) AllocHost(bytes int64) (backend.HostBuffer, error) {
	const op = "allocate host memory"
	h := &hostBuffer{device: d, bytes: bytes, site: d.site()}
	data, err := d.reserve(op, bytes)
	if err != nil {
		return nil, err
	}
	h.data.Store(&data)
	if h.id, err = d.keep(op, h); err != nil {
		h.release()
		return nil, err
	}
	return h, nil
}

// Bytes returns the memory, nil once it is closed.
func (h *hostBuffer) Bytes() []byte {
	if data := h.data.Load(); data != nil {
		return *data
	}
	return nil
}

func (h *hostBuffer) Close() error {
	h.device.forget(h.id)
	h.release()
	return nil
}

func (h *hostBuffer) release() {
	if h.data.Swap(nil) != nil {
		h.device.memory.give(h.bytes)
	}
}

func (h *hostBuffer) open() bool { return h.data.Load() != nil }

func (h *hostBuffer) leak() backend.Leak {
	return backend.Leak{Kind: "host buffer", Bytes: h.bytes, Site: h.site}
}

// span is a view whose buffer is known to be of this device and whose range lies within it.
type span struct {
	buffer *buffer // nil only if bytes is 0
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
	if v.Offset < 0 || v.Bytes < 0 || v.Offset > b.bytes || v.Bytes > b.bytes-v.Offset || v.Offset%4 != 0 {
		return span{}, &backend.ArgumentError{Op: op, Arg: arg,
			Value:   fmt.Sprintf("%d bytes at offset %d", v.Bytes, v.Offset),
			Allowed: fmt.Sprintf("a range at a multiple of 4 within the %d bytes of the buffer", b.bytes)}
	}
	if !b.open() {
		return span{}, &backend.ClosedError{Op: op + ": " + arg, What: "buffer"}
	}
	return span{buffer: b, offset: v.Offset, bytes: v.Bytes}, nil
}

// pointer returns the first byte, nil if there is no buffer, or false if the buffer has been closed since it was checked.
func (s span) pointer() (unsafe.Pointer, bool) {
	if s.buffer == nil {
		return nil, true
	}
	base := s.buffer.base.Load()
	if base == nil {
		return nil, false
	}
	return unsafe.Add(unsafe.Pointer(base), s.offset), true
}

// data returns the bytes, or false if the buffer has been closed since it was checked.
func (s span) data() ([]byte, bool) {
	pointer, open := s.pointer()
	if !open {
		return nil, false
	}
	return unsafe.Slice((*byte)(pointer), s.bytes), true
}

// overlaps tells whether two spans share a byte.
func (s span) overlaps(t span) bool {
	return s.buffer == t.buffer && s.offset < t.offset+t.bytes && t.offset < s.offset+s.bytes
}
