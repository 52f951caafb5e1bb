package cpu

import (
	"fmt"
	"unsafe"

	"github.com/trackgen-go/trackgen/backend"
	"github.com/trackgen-go/trackgen/backend/recorder"
)

var _ recorder.MemoryWrapper = (*device)(nil)

// WrapMemory implements recorder.MemoryWrapper. The range must be mapped, where the system says whether it is; whether
// it may be read and written is not checked.
func (d *device) WrapMemory(
	op string, address uintptr, bytes int64, owner *recorder.Owner,
) (recorder.Memory, error) {
	if !mapped(address, uintptr(bytes)) {
		return nil, &backend.ArgumentError{Op: op, Argument: "address",
			Value:   fmt.Sprintf("%#x with %d bytes, which are not all mapped", address, bytes),
			Allowed: "memory of this process"}
	}
	m := &memory{device: d, bytes: bytes, owner: owner}
	m.base.Store(*(**byte)(unsafe.Pointer(&address))) // no memory of Go, or memory that its owner keeps in place
	m.references.Begin()
	return m, nil
}

// hold takes a reference to the wrapped memory among the spans of an eager operation, so that the owner is not released
// while the operation runs. It returns false, and holds nothing, if one of them was released before.
func hold(spans []recorder.Span) bool {
	for i := range spans {
		if m := wrapped(&spans[i]); m != nil && !m.Retain() {
			release(spans[:i])
			return false
		}
	}
	return true
}

// release releases what hold took.
func release(spans []recorder.Span) {
	for i := range spans {
		if m := wrapped(&spans[i]); m != nil {
			m.Release()
		}
	}
}

// wrapped returns the memory of a span if it was wrapped, or else nil.
func wrapped(s *recorder.Span) *memory {
	if m, ok := s.Memory.(*memory); ok && m.owner != nil {
		return m
	}
	return nil
}
