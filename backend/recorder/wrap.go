package recorder

import (
	"fmt"
	"sync"

	"github.com/trackgen-go/trackgen/backend"
)

// MemoryWrapper is a Driver whose device can use memory of other libraries. Its memory is a backend.Addresser.
type MemoryWrapper interface {
	// WrapMemory returns the memory at an address, which is not 0, a multiple of 4, and such that the range ends within
	// the address space. It returns an error if the range is no memory of the device. The caller gets the only
	// reference. When the last one has been released and no work uses the memory, the memory releases owner.
	WrapMemory(op string, address uintptr, bytes int64, owner *Owner) (Memory, error)
}

// Wrap implements backend.Device.
func (d *Device) Wrap(address uintptr, bytes int64, owner any) (backend.Buffer, error) {
	const op = "wrap"
	if err := d.enter(op); err != nil {
		return nil, err
	}
	defer d.leave()
	wrapper, ok := d.driver.(MemoryWrapper)
	if !ok {
		return nil, &backend.UnsupportedError{Device: d.driver.Info().Name, Op: op,
			Reason: "memory of this device has no address that other libraries know"}
	}
	if err := checkRange(op, address, bytes); err != nil {
		return nil, err
	}
	of := NewOwner(owner)
	m, err := wrapper.WrapMemory(op, address, bytes, of)
	if err != nil {
		of.Forget()
		return nil, err
	}
	b := &Buffer{device: d, bytes: bytes, memory: m, site: d.site(), wrapped: true}
	if err := d.list(op, b, &b.id); err != nil {
		of.Forget()
		b.Release()
		return nil, err
	}
	return b, nil
}

// checkRange returns an error for a range of memory that no device could use.
func checkRange(op string, address uintptr, bytes int64) error {
	switch {
	case address == 0:
		return &backend.ArgumentError{Op: op, Argument: "address", Value: "0", Allowed: "an address of device memory"}
	case address%4 != 0:
		return &backend.ArgumentError{Op: op, Argument: "address", Value: fmt.Sprintf("%#x", address),
			Allowed: "a multiple of 4"}
	}
	if err := positive(op, bytes); err != nil {
		return err
	}
	if uint64(bytes) > uint64(^uintptr(0)-address) {
		return &backend.ArgumentError{Op: op, Argument: "bytes", Value: fmt.Sprint(bytes),
			Allowed: fmt.Sprintf("a range from %#x that ends within the address space", address)}
	}
	return nil
}

// retained holds the retained buffers that are open: somebody else knows only the address of the memory, so nothing
// else need refer to it.
var retained struct {
	mu      sync.Mutex
	buffers map[*Buffer]struct{}
}

// Retain implements backend.Buffer. The device does not list the new buffer, so that Close of the device does not
// release it.
func (b *Buffer) Retain() (backend.Buffer, error) {
	if b.closed.Load() || !b.memory.Retain() {
		return nil, &backend.ClosedError{Op: "retain", What: "buffer"}
	}
	r := &Buffer{device: b.device, bytes: b.bytes, memory: b.memory, wrapped: b.wrapped, retained: true}
	retained.mu.Lock()
	defer retained.mu.Unlock()
	if retained.buffers == nil {
		retained.buffers = make(map[*Buffer]struct{})
	}
	retained.buffers[r] = struct{}{}
	return r, nil
}

// forget removes an open buffer from the list that keeps it.
func (b *Buffer) forget() {
	if !b.retained {
		b.device.forget(b.id)
		return
	}
	retained.mu.Lock()
	defer retained.mu.Unlock()
	delete(retained.buffers, b)
}
