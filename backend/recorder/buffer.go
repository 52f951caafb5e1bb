package recorder

import (
	"fmt"
	"sync/atomic"

	"github.com/trackgen-go/trackgen/backend"
)

// Buffer is device memory. Close gives up the buffer's reference; the memory stays as long as something uses it.
type Buffer struct {
	device *Device
	id     uint64
	site   string
	bytes  int64
	memory Memory
	closed atomic.Bool

	wrapped  bool // the memory belongs to somebody else
	retained bool // made by Retain
}

// positive returns an error unless bytes is positive.
func positive(op string, bytes int64) error {
	if bytes > 0 {
		return nil
	}
	return &backend.ArgumentError{Op: op, Argument: "bytes", Value: fmt.Sprint(bytes), Allowed: "1 or more"}
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
	if err := d.list(op, b, &b.id); err != nil {
		b.Release()
		return nil, err
	}
	return b, nil
}

// Device implements backend.Buffer.
func (b *Buffer) Device() backend.Device { return b.device.self }

// Bytes implements backend.Buffer.
func (b *Buffer) Bytes() int64 { return b.bytes }

// Memory returns the memory, which may have been freed once the buffer is closed. Tests of drivers use it.
func (b *Buffer) Memory() Memory { return b.memory }

// Address implements backend.Addresser.
func (b *Buffer) Address() uintptr {
	memory, ok := b.memory.(backend.Addresser)
	if !ok || b.closed.Load() {
		return 0
	}
	return memory.Address()
}

// Close implements backend.Buffer.
func (b *Buffer) Close() error {
	b.forget()
	if !b.drop() {
		return nil
	}
	return b.device.driver.Collect()
}

// drop releases the buffer's reference to the memory, once. It returns whether this call released it.
func (b *Buffer) drop() bool {
	if b.closed.Swap(true) {
		return false
	}
	b.memory.Release()
	return true
}

// Release implements Resource.
func (b *Buffer) Release() { b.drop() }

// Leak implements Resource.
func (b *Buffer) Leak() backend.Leak {
	kind := "buffer"
	if b.wrapped {
		kind = "wrapped buffer"
	}
	return backend.Leak{Kind: kind, Bytes: b.bytes, Site: b.site}
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
	if err := d.list(op, h, &h.id); err != nil {
		h.Release()
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
	if !h.drop() {
		return nil
	}
	return h.device.driver.Collect()
}

// drop releases the buffer's reference to the memory, once. It returns whether this call released it.
func (h *HostBuffer) drop() bool {
	if h.closed.Swap(true) {
		return false
	}
	h.memory.Release()
	return true
}

// Release implements Resource.
func (h *HostBuffer) Release() { h.drop() }

// Leak implements Resource.
func (h *HostBuffer) Leak() backend.Leak {
	return backend.Leak{Kind: "host buffer", Bytes: h.bytes, Site: h.site}
}
