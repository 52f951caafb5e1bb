package recorder

import (
	"fmt"
	"sync/atomic"

	"github.com/trackgen-go/trackgen/backend"
)

// Buffer is device memory. Close gives it up; what uses the memory keeps it.
type Buffer struct {
	device *Device
	id     uint64
	site   string
	bytes  int64
	memory Memory
	closed atomic.Bool
}

// positive refuses a size that is none.
func positive(op string, bytes int64) error {
	if bytes > 0 {
		return nil
	}
	return &backend.ArgumentError{Op: op, Arg: "bytes", Value: fmt.Sprint(bytes), Allowed: "1 or more"}
}

// Alloc implements backend.Device.
func (d *Device) Alloc(bytes int64) (backend.Buffer, error) {
	const op = "allocate"
	if err := d.enter(op); err != nil {
		return nil, err
	}
	defer d.leave()
	if err := positive(op, bytes); err != nil {
		return nil, err
	}
	m, err := d.driver.Allocate(op, bytes)
	if err != nil {
		return nil, err
	}
	b := &Buffer{device: d, bytes: bytes, memory: m, site: d.site()}
	if b.id, err = d.keep(op, b); err != nil {
		b.release()
		return nil, err
	}
	return b, nil
}

// Device implements backend.Buffer.
func (b *Buffer) Device() backend.Device { return b.device.self }

// Bytes implements backend.Buffer.
func (b *Buffer) Bytes() int64 { return b.bytes }

// Memory returns the memory, which may be gone once the buffer is closed.
func (b *Buffer) Memory() Memory { return b.memory }

// Close implements backend.Buffer.
func (b *Buffer) Close() error {
	b.device.forget(b.id)
	b.release()
	return nil
}

func (b *Buffer) release() {
	if !b.closed.Swap(true) {
		b.memory.Release()
	}
}

func (b *Buffer) leak() backend.Leak {
	return backend.Leak{Kind: "buffer", Bytes: b.bytes, Site: b.site}
}

// HostBuffer is host memory that streams copy from and to.
type HostBuffer struct {
	device *Device
	id     uint64
	site   string
	bytes  int64
	memory HostMemory
	closed atomic.Bool
}

// AllocHost implements backend.Device.
func (d *Device) AllocHost(bytes int64) (backend.HostBuffer, error) {
	const op = "allocate host memory"
	if err := d.enter(op); err != nil {
		return nil, err
	}
	defer d.leave()
	if err := positive(op, bytes); err != nil {
		return nil, err
	}
	m, err := d.driver.AllocateHost(op, bytes)
	if err != nil {
		return nil, err
	}
	h := &HostBuffer{device: d, bytes: bytes, memory: m, site: d.site()}
	if h.id, err = d.keep(op, h); err != nil {
		h.release()
		return nil, err
	}
	return h, nil
}

// Bytes implements backend.HostBuffer.
func (h *HostBuffer) Bytes() []byte {
	if h.closed.Load() {
		return nil
	}
	return h.memory.Bytes()
}

// Close implements backend.HostBuffer.
func (h *HostBuffer) Close() error {
	h.device.forget(h.id)
	h.release()
	return nil
}

func (h *HostBuffer) release() {
	if !h.closed.Swap(true) {
		h.memory.Release()
	}
}

func (h *HostBuffer) leak() backend.Leak {
	return backend.Leak{Kind: "host buffer", Bytes: h.bytes, Site: h.site}
}

// span checks a view. Offsets and kernel arguments are multiples of 4 bytes everywhere, so that every backend can bind
// them.
func (d *Device) span(op, arg string, v backend.View) (Span, error) {
	if v.Buffer == nil {
		if v.Bytes == 0 && v.Offset == 0 {
			return Span{}, nil
		}
		return Span{}, &backend.ArgumentError{Op: op, Arg: arg,
			Value: fmt.Sprintf("a view of %d bytes at %d without a buffer", v.Bytes, v.Offset), Allowed: "a buffer"}
	}
	b, ok := v.Buffer.(*Buffer)
	if !ok || b == nil || b.device != d {
		return Span{}, &backend.ArgumentError{Op: op, Arg: arg, Value: stranger(v.Buffer), Allowed: "a buffer of this device"}
	}
	if v.Offset < 0 || v.Bytes < 0 || v.Offset > b.bytes || v.Bytes > b.bytes-v.Offset || v.Offset%4 != 0 {
		return Span{}, &backend.ArgumentError{Op: op, Arg: arg,
			Value:   fmt.Sprintf("%d bytes at offset %d", v.Bytes, v.Offset),
			Allowed: fmt.Sprintf("a range at a multiple of 4 within the %d bytes of the buffer", b.bytes)}
	}
	if b.closed.Load() {
		return Span{}, &backend.ClosedError{Op: op + ": " + arg, What: "buffer"}
	}
	return Span{Memory: b.memory, Offset: v.Offset, Bytes: v.Bytes}, nil
}

// flag checks the view of an int32.
func (d *Device) flag(op string, v backend.View) (Span, error) {
	span, err := d.span(op, "flag", v)
	if err == nil && span.Bytes != 4 {
		err = &backend.ArgumentError{Op: op, Arg: "flag", Value: fmt.Sprintf("%d bytes", span.Bytes), Allowed: "one int32"}
	}
	return span, err
}

// hostRange checks a range of a host buffer.
func (d *Device) hostRange(op string, host backend.HostBuffer, offset, bytes int64) (*HostBuffer, error) {
	own, ok := host.(*HostBuffer)
	if !ok || own == nil || own.device != d {
		return nil, &backend.ArgumentError{Op: op, Arg: "host buffer", Value: stranger(host),
			Allowed: "a host buffer of this device"}
	}
	if offset < 0 || offset > own.bytes || bytes > own.bytes-offset {
		return nil, &backend.ArgumentError{Op: op, Arg: "offset", Value: fmt.Sprintf("%d with %d bytes", offset, bytes),
			Allowed: fmt.Sprintf("a range within the %d bytes of the host buffer", own.bytes)}
	}
	if own.closed.Load() {
		return nil, &backend.ClosedError{Op: op, What: "host buffer"}
	}
	return own, nil
}
