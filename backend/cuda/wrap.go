//go:build cgo && linux

package cuda

import (
	"fmt"

	"github.com/trackgen-go/trackgen/backend"
	"github.com/trackgen-go/trackgen/backend/recorder"
)

var _ recorder.MemoryWrapper = (*device)(nil)

// WrapMemory implements recorder.MemoryWrapper. The driver says what memory is at the address: of cuMemAlloc, of a
// pool, managed, or mapped into a reserved range. The range may be a part of an allocation, since other libraries
// divide theirs among many arrays. In a reserved range, only the first and the last byte are checked to be mapped.
func (d *device) WrapMemory(
	op string, address uintptr, bytes int64, owner *recorder.Owner,
) (recorder.Memory, error) {
	from := uint64(address)
	about, f := d.context.memoryAt(from)
	if err := f.as(d.info.Name, op); err != nil {
		return nil, err
	}
	if what := about.unusable(); what != "" {
		return nil, &backend.ArgumentError{Op: op, Argument: "address", Value: fmt.Sprintf("%#x, %s", address, what),
			Allowed: "device or managed memory of " + d.info.Name}
	}
	room := uint64(0)
	if from-about.from < about.bytes {
		room = about.from + about.bytes - from
	}
	if uint64(bytes) > room {
		return nil, &backend.ArgumentError{Op: op, Argument: "bytes", Value: fmt.Sprint(bytes),
			Allowed: fmt.Sprintf("at most %d, from %#x up to the end of its allocation", room, address)}
	}
	end, f := d.context.memoryAt(from + uint64(bytes) - 1)
	if err := f.as(d.info.Name, op); err != nil {
		return nil, err
	}
	if !end.mapped {
		return nil, &backend.ArgumentError{Op: op, Argument: "bytes", Value: fmt.Sprint(bytes),
			Allowed: fmt.Sprintf("a range from %#x that is mapped up to its end", address)}
	}
	m := d.newMemory(disposeOwner, from, 0)
	m.owner = owner
	return m, nil
}

// unusable says why a device cannot use memory, empty if it can.
func (m foreignMemory) unusable() string {
	switch {
	case m.kind != memoryDevice && m.kind != memoryHost:
		return "no memory that the driver knows"
	case m.kind == memoryHost && !m.managed:
		return "pinned host memory"
	case m.ordinal != m.device:
		return fmt.Sprintf("memory of device %d", m.ordinal)
	case m.other && !m.managed:
		return "memory of another context"
	case !m.mapped:
		return "a reserved range in which no memory is mapped"
	}
	return ""
}
