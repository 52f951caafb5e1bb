//go:build cgo && linux

package vulkan

import (
	"fmt"
	"math"
	"sync/atomic"

	"github.com/trackgen-go/trackgen/backend"
)

// buffer is device memory. Close gives it up; work under way keeps the memory until it has run, and graphs keep it
// until they are closed.
type buffer struct {
	device     *device
	id         uint64
	bytes      int64
	allocation *allocation
	closed     atomic.Bool
	site       string
}

func (d *device) Alloc(bytes int64) (backend.Buffer, error) {
	const op = "allocate"
	if err := d.enter(op); err != nil {
		return nil, err
	}
	defer d.leave()
	if bytes > d.maxRange {
		return nil, fmt.Errorf("%s: a kernel sees at most %d bytes of a buffer (maxStorageBufferRange): %w", op, d.maxRange,
			&backend.OutOfMemoryError{Device: d.info.Name, Bytes: bytes, Limit: d.maxBuffer})
	}
	a, err := d.reserve(op, d.memory, bytes)
	if err != nil {
		return nil, err
	}
	b := &buffer{device: d, bytes: bytes, allocation: a, site: d.site()}
	if err := d.zeros.add(a); err != nil {
		b.release()
		return nil, err
	}
	b.id = d.keep(b)
	return b, nil
}

// reserve takes memory from a heap and from the budget. Where there is none left, it waits for work that uses closed
// buffers, which gives theirs back.
func (d *device) reserve(op string, h *heap, bytes int64) (*allocation, error) {
	if bytes <= 0 {
		return nil, &backend.ArgumentError{Op: op, Arg: "bytes", Value: fmt.Sprint(bytes), Allowed: "1 or more"}
	}
	if bytes > math.MaxInt64-granule {
		return nil, &backend.OutOfMemoryError{Device: d.info.Name, Bytes: bytes, Limit: h.limit}
	}
	a, err := d.take(h, bytes)
	if err != nil && d.settle() == nil {
		a, err = d.take(h, bytes)
	}
	return a, err
}

// take takes memory from a heap and from the budget, which get it back together.
func (d *device) take(h *heap, bytes int64) (*allocation, error) {
	if err := d.budget.take(d.info.Name, bytes); err != nil {
		return nil, err
	}
	a, err := h.alloc(bytes)
	if err != nil {
		d.budget.give(bytes)
		return nil, err
	}
	a.budget, a.counted = &d.budget, bytes
	return a, nil
}

func (b *buffer) Device() backend.Device { return b.device }

func (b *buffer) Bytes() int64 { return b.bytes }

func (b *buffer) Close() error {
	b.device.forget(b.id)
	b.release()
	return nil
}

func (b *buffer) release() {
	if !b.closed.Swap(true) {
		b.allocation.release()
	}
}

func (b *buffer) open() bool { return !b.closed.Load() }

func (b *buffer) leak() backend.Leak {
	return backend.Leak{Kind: "buffer", Bytes: b.bytes, Site: b.site}
}

// hostBuffer is host memory that the device reads and writes. It stays mapped, and no call makes its bytes visible: the
// memory is coherent.
type hostBuffer struct {
	device     *device
	id         uint64
	bytes      int64
	allocation *allocation
	closed     atomic.Bool
	site       string
}

func (d *device) AllocHost(bytes int64) (backend.HostBuffer, error) {
	const op = "allocate host memory"
	if err := d.enter(op); err != nil {
		return nil, err
	}
	defer d.leave()
	a, err := d.reserve(op, d.hostMemory, bytes)
	if err != nil {
		return nil, err
	}
	clear(a.bytesAt(a.bytes))
	h := &hostBuffer{device: d, bytes: bytes, allocation: a, site: d.site()}
	h.id = d.keep(h)
	return h, nil
}

// Bytes returns the memory, nil once it is closed. It must not be used after Close.
func (h *hostBuffer) Bytes() []byte {
	if h.closed.Load() {
		return nil
	}
	return h.allocation.bytesAt(h.bytes)
}

func (h *hostBuffer) Close() error {
	h.device.forget(h.id)
	h.release()
	return nil
}

func (h *hostBuffer) release() {
	if !h.closed.Swap(true) {
		h.allocation.release()
	}
}

func (h *hostBuffer) open() bool { return !h.closed.Load() }

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
		return span{}, &backend.ClosedError{Op: op, What: arg + " buffer"}
	}
	return span{buffer: b, offset: v.Offset, bytes: v.Bytes}, nil
}

// overlaps tells whether two spans share a byte.
func (s span) overlaps(t span) bool {
	return s.buffer == t.buffer && s.offset < t.offset+t.bytes && t.offset < s.offset+s.bytes
}

// binding returns the span as a part of a block.
func (s span) binding() binding {
	if s.buffer == nil {
		return binding{}
	}
	a := s.buffer.allocation
	return binding{block: a.block, offset: a.offset + s.offset, bytes: s.bytes}
}
