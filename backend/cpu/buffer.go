package cpu

import (
	"sync/atomic"
	"unsafe"

	"github.com/trackgen-go/trackgen/backend/recorder"
	"github.com/trackgen-go/trackgen/internal/references"
)

// memory is an allocation on the Go heap, initially zero and aligned to 64 bytes. Releasing the last reference returns
// the bytes to the budget and drops the pointer. A call that is using the memory at that moment may continue; the
// garbage collector frees the memory afterwards. Host memory is the same on the CPU.
//
// Memory with an owner was wrapped. Its owner may free it when it is released, so each call that uses it holds a
// reference (see hold).
type memory struct {
	device     *device
	bytes      int64
	owner      *recorder.Owner      // nil: an allocation of this package
	base       atomic.Pointer[byte] // first byte, nil after the last reference is released
	references references.Count
}

// reserve takes zeroed memory from the budget. The caller holds the only reference.
func (d *device) reserve(bytes int64) (*memory, error) {
	if err := d.memory.take(bytes); err != nil {
		return nil, err
	}
	m := &memory{device: d, bytes: bytes}
	m.base.Store(unsafe.SliceData(allocate(bytes)))
	m.references.Begin()
	return m, nil
}

// Allocate implements recorder.Driver.
func (d *device) Allocate(_ string, bytes int64) (recorder.Memory, error) { return d.reserve(bytes) }

// AllocateHost implements recorder.Driver.
func (d *device) AllocateHost(_ string, bytes int64) (recorder.HostMemory, error) {
	return d.reserve(bytes)
}

// Retain implements recorder.Keeper.
func (m *memory) Retain() bool { return m.references.Retain() }

// Release implements recorder.Keeper.
func (m *memory) Release() {
	if m.references.Release() {
		m.base.Store(nil)
		if m.owner != nil {
			m.owner.Release()
			return
		}
		m.device.memory.give(m.bytes)
	}
}

// Bytes returns the memory, nil after the last reference is released.
func (m *memory) Bytes() []byte {
	base := m.base.Load()
	if base == nil {
		return nil
	}
	return unsafe.Slice(base, m.bytes)
}

// pointer returns the first byte of a span, nil if there is no buffer. It returns false if the buffer was closed after
// eager work on it had been checked.
func pointer(s *recorder.Span) (unsafe.Pointer, bool) {
	if s.Memory == nil {
		return nil, true
	}
	base := s.Memory.(*memory).base.Load()
	if base == nil {
		return nil, false
	}
	return unsafe.Add(unsafe.Pointer(base), s.Offset), true
}

// data returns the bytes of a span. Its result false has the same meaning as in pointer.
func data(s *recorder.Span) ([]byte, bool) {
	first, open := pointer(s)
	if !open {
		return nil, false
	}
	return unsafe.Slice((*byte)(first), s.Bytes), true
}

// Address implements backend.Addresser.
func (m *memory) Address() uintptr { return uintptr(unsafe.Pointer(m.base.Load())) }
