package exec

import (
	"context"
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

// memory is one buffer of the device and the state that all arrays on it share.
type memory struct {
	device backend.Device
	buffer backend.Buffer
	closed atomic.Bool

	origin  *memory // of a retained array: the memory that was retained first; nil: this one
	foreign bool    // wrapped, so that it can be a part of other memory
}

// MaxElements is the maximum length of an array: kernels index with int32.
const MaxElements = math.MaxInt32

// NewArray allocates an array of n elements, all zero. n ranges from 0 to MaxElements.
//
// It returns a *backend.ArgumentError if n is out of range, backend.ErrOutOfMemory if the device cannot hold the
// array, or another error of the backend.
func NewArray[T kernel.Element](device backend.Device, n int) (Array[T], error) {
	const op = "new array"
	if err := CheckDevice(op, device); err != nil {
		return Array[T]{}, err
	}
	if n < 0 || int64(n) > MaxElements {
		return Array[T]{}, &backend.ArgumentError{Op: op, Argument: "length", Value: n,
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

// FromSlice allocates an array of len(source) elements and fills it with source, on the device's default stream, for
// which it waits. It returns the errors of NewArray, and ErrCapture while that stream is being captured.
func FromSlice[T kernel.Element](device backend.Device, source []T) (Array[T], error) {
	a, err := NewArray[T](device, len(source))
	if err != nil {
		return Array[T]{}, err
	}
	if err := a.upload("new array", device.DefaultStream(), source); err != nil {
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
		return Array[T]{}, &backend.ArgumentError{Op: "slice", Argument: "range", Value: fmt.Sprintf("[%d:%d]", low, high),
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

// Read copies the elements to host memory on the stream that ctx resolves to (R6), after everything emitted so far
// on it, and waits. Unfinished work on other streams may be missing. Read allocates, so it does not belong on a hot
// path. It returns ErrCapture while the stream is being captured, and the error of a ctx that has ended.
func (a Array[T]) Read(ctx context.Context) ([]T, error) {
	const op = "read array"
	if err := a.check(op, "array"); err != nil {
		return nil, err
	}
	stream, err := a.streamOf(ctx, op)
	if err != nil {
		return nil, err
	}
	out := make([]T, a.length)
	err = a.transfer(op, stream, func(host backend.HostBuffer) error {
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

// ReadTo copies the elements to the first Len elements of via, as Read does: without memory of its own, so that a
// program can read again and again. The values are valid until via is used again.
func (a Array[T]) ReadTo(ctx context.Context, via HostArray[T]) error {
	const op = "read array"
	if err := a.check(op, "array"); err != nil {
		return err
	}
	stream, err := a.streamOf(ctx, op)
	if err != nil {
		return err
	}
	if err := via.checkOn(op, a.memory.device, a.length); err != nil {
		return err
	}
	if a.length == 0 {
		return nil
	}
	if err := RefuseCapture(stream, op, "the stream is being captured, so the host cannot wait for it"); err != nil {
		return err
	}
	if err := stream.Download(via.memory.buffer, 0, a.View()); err != nil {
		return Doing(op, err)
	}
	if err := stream.Sync(); err != nil {
		return Doing(op, err)
	}
	return nil
}

// Write replaces all elements by source, which has the length of a, on the stream that ctx resolves to (R6), and waits.
// It returns ErrCapture while the stream is being captured, and the error of a ctx that has ended.
func (a Array[T]) Write(ctx context.Context, source []T) error {
	const op = "write array"
	if err := a.check(op, "array"); err != nil {
		return err
	}
	if len(source) != a.length {
		return &backend.ArgumentError{Op: op, Argument: "source length", Value: len(source),
			Allowed: fmt.Sprintf("%d, the array's", a.length)}
	}
	stream, err := a.streamOf(ctx, op)
	if err != nil {
		return err
	}
	return a.upload(op, stream, source)
}

// streamOf returns the stream on which a call with ctx works.
func (a Array[T]) streamOf(ctx context.Context, op string) (backend.Stream, error) {
	lc, err := For(ctx, a.memory.device)
	if err != nil {
		return nil, Doing(op, err)
	}
	if err := ctx.Err(); err != nil {
		return nil, Doing(op, err)
	}
	return lc.stream, nil
}

// upload copies source to a on stream and waits.
func (a Array[T]) upload(op string, stream backend.Stream, source []T) error {
	return a.transfer(op, stream, func(host backend.HostBuffer) error {
		copy(host.Bytes(), bytesOf(source))
		if err := stream.Upload(a.View(), host, 0); err != nil {
			return err
		}
		return stream.Sync()
	})
}

// transfer runs a copy between a and host memory of the same size on stream. For an empty array it does nothing.
func (a Array[T]) transfer(op string, stream backend.Stream, run func(backend.HostBuffer) error) (err error) {
	if a.length == 0 {
		return nil
	}
	if err := RefuseCapture(stream, op, "the stream is being captured, so the host cannot wait for it"); err != nil {
		return err
	}
	host, err := a.memory.device.AllocHost(int64(a.length) * elementSize[T]())
	if err != nil {
		return Doing(op, err)
	}
	defer func() {
		if closeErr := host.Close(); closeErr != nil {
			err = errors.Join(err, Doing(op, closeErr))
		}
	}()
	if err := run(host); err != nil {
		return Doing(op, err)
	}
	return nil
}

// Address returns the address of the first element: of device memory as CUDA knows it, a CUdeviceptr; on the CPU, of
// host memory. It is 0 for the zero Array, a closed one, and on devices whose memory has no address (Vulkan). It is
// valid until the array is closed, to work that is ordered with that of this library: on the same stream, or after
// waiting for it. It does not keep the array open: see Retain.
func (a Array[T]) Address() uintptr {
	if a.memory == nil || a.memory.closed.Load() {
		return 0
	}
	buffer, ok := a.memory.buffer.(backend.Addresser)
	if !ok {
		return 0
	}
	base := buffer.Address()
	if base == 0 {
		return 0
	}
	return base + uintptr(a.offset)*uintptr(elementSize[T]())
}

// Check reports whether a is usable on device and has the given length. Producers call it for every array that they
// bind. The error names op and arg: a *backend.ArgumentError, ErrClosed or ErrDeviceMismatch.
func (a Array[T]) Check(op, arg string, device backend.Device, length int) error {
	if err := a.checkOn(op, arg, device); err != nil {
		return err
	}
	if a.length != length {
		return &backend.ArgumentError{Op: op, Argument: arg + " length", Value: a.length, Allowed: fmt.Sprint(length)}
	}
	return nil
}

// check returns an error if a is the zero Array or closed.
func (a Array[T]) check(op, arg string) error {
	if a.memory == nil {
		return &backend.ArgumentError{Op: op, Argument: arg, Value: "the zero Array", Allowed: "an allocated array"}
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
