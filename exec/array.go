package exec

import (
	"errors"
	"fmt"
	"math"
	"sync/atomic"
	"unsafe"

	"github.com/trackgen-go/trackgen/backend"
	"github.com/trackgen-go/trackgen/kernel"
)

// Array is a range of device memory that holds elements of type T. It is a small value: copies and slices share the
// memory, and closing any of them releases it. Arrays are contiguous.
//
// An array has no method that zeroes or fills it, because such a method would not name a stream: use Fill and Copy.
type Array[T kernel.Element] struct {
	memory *memory
	offset int // elements
	length int
}

// memory is one device allocation and the state that all arrays on it share.
type memory struct {
	device backend.Device
	buffer backend.Buffer
	closed atomic.Bool
}

// MaxElements is the maximum length of an array: kernels index with int32.
const MaxElements = math.MaxInt32

// NewArray allocates an array of n elements, all zero. n ranges from 0 to MaxElements.
//
// It returns an *ArgError if n is out of range, backend.ErrOutOfMemory if the device cannot hold the array, or another
// error of the backend.
func NewArray[T kernel.Element](device backend.Device, n int) (Array[T], error) {
	const op = "new array"
	if err := CheckDevice(op, device); err != nil {
		return Array[T]{}, err
	}
	if n < 0 || int64(n) > MaxElements {
		return Array[T]{}, &ArgError{Op: op, Arg: "length", Value: n,
			Allowed: fmt.Sprintf("0 to %d elements", int64(MaxElements))}
	}
	// Devices cannot allocate zero bytes, so an empty array owns one element.
	bytes := int64(max(n, 1)) * elementSize[T]()
	if limit := device.Caps().MaxBufferBytes; limit > 0 && bytes > limit {
		return Array[T]{}, fmt.Errorf("new array of %d %v, larger than the device's maximum buffer size (make smaller "+
			"batches): %w", n, kernel.TypeOf[T](),
			&backend.OutOfMemoryError{Device: deviceName(device), Bytes: bytes, Limit: limit})
	}
	buffer, err := device.Alloc(bytes)
	if err != nil {
		return Array[T]{}, fmt.Errorf("new array of %d %v: %w", n, kernel.TypeOf[T](), err)
	}
	return Array[T]{memory: &memory{device: device, buffer: buffer}, length: n}, nil
}

// FromSlice allocates an array of len(source) elements and fills it with source. It waits for the copy.
func FromSlice[T kernel.Element](device backend.Device, source []T) (Array[T], error) {
	a, err := NewArray[T](device, len(source))
	if err != nil {
		return Array[T]{}, err
	}
	if err := a.Write(source); err != nil {
		return Array[T]{}, errors.Join(err, a.Close())
	}
	return a, nil
}

// Len returns the number of elements.
func (a Array[T]) Len() int { return a.length }

// IsZero reports whether a is the zero Array, which holds no memory.
func (a Array[T]) IsZero() bool { return a.memory == nil }

// Device returns the device that holds a, nil for the zero Array.
func (a Array[T]) Device() backend.Device {
	if a.memory == nil {
		return nil
	}
	return a.memory.device
}

// View returns the bytes of a in the form that a backend takes, the zero View for the zero Array.
func (a Array[T]) View() backend.View {
	if a.memory == nil {
		return backend.View{}
	}
	size := elementSize[T]()
	return backend.View{Buffer: a.memory.buffer, Offset: int64(a.offset) * size, Bytes: int64(a.length) * size}
}

// Slice returns the elements [low, high) of a. They share a's memory.
func (a Array[T]) Slice(low, high int) (Array[T], error) {
	if err := a.check("slice", "array"); err != nil {
		return Array[T]{}, err
	}
	if low < 0 || low > high || high > a.length {
		return Array[T]{}, &ArgError{Op: "slice", Arg: "range", Value: fmt.Sprintf("[%d:%d]", low, high),
			Allowed: fmt.Sprintf("0 <= low <= high <= %d", a.length)}
	}
	return Array[T]{memory: a.memory, offset: a.offset + low, length: high - low}, nil
}

// Close releases the memory that a shares with all its slices; new work on any of them returns ErrClosed. A graph that
// was recorded with a keeps the memory until the graph is closed, and its replays give the same results (R166). Closing
// the zero Array, or closing twice, does nothing.
func (a Array[T]) Close() error {
	if a.memory == nil || !a.memory.closed.CompareAndSwap(false, true) {
		return nil
	}
	if err := a.memory.buffer.Close(); err != nil {
		return Doing("close array", err)
	}
	return nil
}

// Read downloads the elements on the device's default stream, waits for that stream and returns a copy. Unfinished work
// on other streams may be missing. Read allocates, so it does not belong on a hot path. It returns ErrCapture while the
// default stream is being captured.
func (a Array[T]) Read() ([]T, error) {
	out := make([]T, a.length)
	err := a.transfer("read array", func(stream backend.Stream, host backend.HostBuffer) error {
		if err := stream.Download(host, 0, a.View()); err != nil {
			return err
		}
		if err := stream.Sync(); err != nil {
			return err
		}
		copy(bytesOf(out), host.Bytes())
		return nil
	})
	if err != nil {
		return nil, err
	}
	return out, nil
}

// Write replaces all elements by source, which has the length of a. It uploads on the device's default stream and waits
// for it. It returns ErrCapture while that stream is being captured.
func (a Array[T]) Write(source []T) error {
	if !a.IsZero() && len(source) != a.length {
		return &ArgError{Op: "write array", Arg: "source length", Value: len(source),
			Allowed: fmt.Sprintf("%d, the array's", a.length)}
	}
	return a.transfer("write array", func(stream backend.Stream, host backend.HostBuffer) error {
		copy(host.Bytes(), bytesOf(source))
		if err := stream.Upload(a.View(), host, 0); err != nil {
			return err
		}
		return stream.Sync()
	})
}

// transfer runs a copy between a and host memory of the same size on the default stream. For an empty array it does
// nothing.
func (a Array[T]) transfer(op string, run func(backend.Stream, backend.HostBuffer) error) (err error) {
	if err := a.check(op, "array"); err != nil {
		return err
	}
	if a.length == 0 {
		return nil
	}
	device := a.memory.device
	stream := device.DefaultStream()
	if err := RefuseCapture(stream, op,
		"the default stream is being captured, so the host cannot wait for it"); err != nil {
		return err
	}
	host, err := device.AllocHost(int64(a.length) * elementSize[T]())
	if err != nil {
		return Doing(op, err)
	}
	defer func() {
		if closeErr := host.Close(); closeErr != nil {
			err = errors.Join(err, Doing(op, closeErr))
		}
	}()
	if err := run(stream, host); err != nil {
		return Doing(op, err)
	}
	return nil
}

// Check reports whether a is usable on device and has the given length. Producers call it for every array that they
// bind. The error names op and arg: an *ArgError, ErrClosed or ErrDeviceMismatch.
func (a Array[T]) Check(op, arg string, device backend.Device, length int) error {
	if err := a.checkOn(op, arg, device); err != nil {
		return err
	}
	if a.length != length {
		return &ArgError{Op: op, Arg: arg + " length", Value: a.length, Allowed: fmt.Sprint(length)}
	}
	return nil
}

// check returns an error if a is the zero Array or closed.
func (a Array[T]) check(op, arg string) error {
	if a.memory == nil {
		return &ArgError{Op: op, Arg: arg, Value: "the zero Array", Allowed: "an allocated array"}
	}
	if a.memory.closed.Load() {
		return closedError(op, arg)
	}
	return nil
}

// checkOn is check for an array that must be on device.
func (a Array[T]) checkOn(op, arg string, device backend.Device) error {
	if err := a.check(op, arg); err != nil {
		return err
	}
	if a.memory.device != device {
		return mismatch(op, arg, a.memory.device, device)
	}
	return nil
}

// elementSize returns the size of one T in bytes, the same on the host and on every device.
func elementSize[T kernel.Element]() int64 {
	var zero T
	return int64(unsafe.Sizeof(zero))
}

// bytesOf returns the memory of s.
func bytesOf[T kernel.Element](s []T) []byte {
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(s))), len(s)*int(elementSize[T]()))
}
