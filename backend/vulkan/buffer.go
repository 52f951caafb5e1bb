//go:build cgo && (linux || darwin)

package vulkan

import (
	"fmt"
	"math"

	"github.com/trackgen-go/trackgen/backend"
	"github.com/trackgen-go/trackgen/backend/recorder"
)

// Allocate implements recorder.Driver.
func (d *device) Allocate(op string, bytes int64) (recorder.Memory, error) {
	if bytes > d.maxRange {
		return nil, fmt.Errorf("%s: a kernel can access at most %d bytes of a buffer (maxStorageBufferRange): %w",
			op, d.maxRange,
			&backend.OutOfMemoryError{Device: d.info.Name, Bytes: bytes, Limit: d.maxBuffer})
	}
	a, err := d.reserve(d.memory, bytes)
	if err != nil {
		return nil, err
	}
	if err := d.zeros.add(a); err != nil {
		a.Release()
		return nil, err
	}
	return a, nil
}

// AllocateHost returns host memory that the device reads and writes. It stays mapped. The memory is coherent, so no
// call is needed to make writes visible.
func (d *device) AllocateHost(_ string, bytes int64) (recorder.HostMemory, error) {
	a, err := d.reserve(d.hostMemory, bytes)
	if err != nil {
		return nil, err
	}
	clear(a.bytesAt(a.bytes))
	return a, nil
}

// reserve takes memory from a heap and from the budget. If there is none left, it waits for work that uses closed
// buffers, which then returns their memory.
func (d *device) reserve(h *heap, bytes int64) (*allocation, error) {
	if bytes > math.MaxInt64-granule {
		return nil, &backend.OutOfMemoryError{Device: d.info.Name, Bytes: bytes, Limit: h.limit}
	}
	a, err := d.take(h, bytes)
	if err != nil && d.waitForStreams() == nil {
		a, err = d.take(h, bytes)
	}
	return a, err
}

// take takes memory from a heap and from the budget; both get it back together.
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

// bindingOf returns the range of a block that a span occupies.
func bindingOf(s recorder.Span) binding {
	if s.Memory == nil {
		return binding{}
	}
	a := s.Memory.(*allocation)
	return binding{block: a.block, offset: a.offset + s.Offset, bytes: s.Bytes}
}
