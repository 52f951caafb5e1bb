package exec

import (
	"fmt"

	"github.com/trackgen-go/trackgen/backend"
	"github.com/trackgen-go/trackgen/kernel"
)

// Wrap returns an array of n elements in memory that another library has allocated on the device, without a copy: from
// address, which is a CUdeviceptr, or on the CPU a host address. The array reads and writes that memory, and is closed
// like any other. n ranges from 1 to MaxElements.
//
// owner is kept reachable as long as the array, work, captures or graphs use the memory, and must keep the memory
// allocated, at this address, so long. If owner is a backend.Releaser, its Release is called once afterwards. owner may
// be nil, for memory that is never freed. Go memory is wrapped by the address of an element of a slice whose owner is
// the slice.
//
// The other library must order its work on the memory with that of this one: on the same stream, by events, or by
// waiting. Close may wait for work that is using the memory. Memory that holds anything but elements of T, such as a
// bool mask, must be converted first.
//
// It returns a *backend.ArgumentError, which names the argument, its value and what is allowed, if n is out of range,
// and if address is 0, misaligned, of another device, or if the memory there is too small or no memory of the device.
// It returns ErrUnsupported on devices without backend.Caps.ForeignMemory. Then it has not taken owner.
func Wrap[T kernel.Element](device backend.Device, address uintptr, n int, owner any) (Array[T], error) {
	const op = "wrap"
	if err := CheckDevice(op, device); err != nil {
		return Array[T]{}, err
	}
	if n < 1 || int64(n) > MaxElements {
		return Array[T]{}, &backend.ArgumentError{Op: op, Argument: "length", Value: n,
			Allowed: fmt.Sprintf("1 to %d elements", int64(MaxElements))}
	}
	buffer, err := device.Wrap(address, int64(n)*elementSize[T](), owner)
	if err != nil {
		return Array[T]{}, Doing(fmt.Sprintf("array of %d %v", n, kernel.TypeOf[T]()), err)
	}
	return Array[T]{memory: &memory{device: device, buffer: buffer, foreign: true}, length: n}, nil
}

// Retain returns an array of the same elements with a lifetime of its own: the memory stays until both are closed. The
// owner of a, and even the device, may be closed before: another library that works with Address, such as NumPy or
// PyTorch with a view of a result, uses the memory until the retained array is closed. The device does not list it as a
// leak. Nothing needs to refer to the retained array meanwhile.
//
// Retain, and Close of what it returns, may be called on any goroutine at any time, also during a capture. A retained
// array is used like any other, until the device is closed. On a device whose memory has no address (Vulkan), Close of
// the device frees the memory.
//
// It returns a *backend.ArgumentError for the zero Array, and ErrClosed for a closed one.
func (a Array[T]) Retain() (Array[T], error) {
	const op = "retain array"
	if err := a.check(op, "array"); err != nil {
		return Array[T]{}, err
	}
	buffer, err := a.memory.buffer.Retain()
	if err != nil {
		return Array[T]{}, Doing(op, err)
	}
	retained := &memory{device: a.memory.device, buffer: buffer, origin: a.memory.first(), foreign: a.memory.foreign}
	return Array[T]{memory: retained, offset: a.offset, length: a.length}, nil
}

// first returns the memory that was retained first.
func (m *memory) first() *memory {
	if m.origin != nil {
		return m.origin
	}
	return m
}

// mayShare reports whether two buffers may have bytes in common. Nearly always it needs two comparisons.
func (m *memory) mayShare(o *memory) bool {
	return m == o || m.foreign || o.foreign || m.first() == o.first()
}

// base returns the address of a buffer, 0 if it has none.
func (m *memory) base() uintptr {
	if buffer, ok := m.buffer.(backend.Addresser); ok {
		return buffer.Address()
	}
	return 0
}

// overlap reports whether view a of m and view b of o share a byte. Wrapped memory is compared by addresses.
func overlap(m, o *memory, a, b backend.View) bool {
	if a.Bytes <= 0 || b.Bytes <= 0 || !m.mayShare(o) {
		return false
	}
	if m.first() == o.first() {
		return a.Offset < b.Offset+b.Bytes && b.Offset < a.Offset+a.Bytes
	}
	from, to := m.base()+uintptr(a.Offset), o.base()+uintptr(b.Offset)
	return from < to+uintptr(b.Bytes) && to < from+uintptr(a.Bytes)
}

// places describes where view a of m and view b of o are, for the error of an overlap. It is empty if neither memory
// was wrapped: then the caller knows the slices.
func (m *memory) places(o *memory, a, b backend.View) string {
	if !m.foreign && !o.foreign {
		return ""
	}
	from, to := m.base()+uintptr(a.Offset), o.base()+uintptr(b.Offset)
	return fmt.Sprintf(": %d bytes at %#x and %d bytes at %#x", a.Bytes, from, b.Bytes, to)
}
