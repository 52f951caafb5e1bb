package main

// #include "library.h"
import "C"

import (
	"context"
	"errors"
	"fmt"
	"math"
	"runtime"
	"unsafe"

	"github.com/trackgen-go/trackgen/backend"
	"github.com/trackgen-go/trackgen/exec"
	"github.com/trackgen-go/trackgen/kernel"
)

// wordBytes is the size of an element of an array: all have 32 bits.
const wordBytes = 4

const anArray = "an array (tg_array_new, tg_wrap or a result)"

// elementTypes are the types of elements by their tg_type.
var elementTypes = map[C.int32_t]kernel.Type{
	C.TG_INT32: kernel.Int32, C.TG_FLOAT32: kernel.Float32, C.TG_UINT32: kernel.Uint32,
}

// array is an array in device memory: a result of a producer, or an input of the caller. It keeps the memory, so that
// views in other libraries stay valid when the producer and the device are closed.
type array struct {
	lifetime
	device   *device
	words    exec.Array[uint32] // retained
	kind     C.int32_t          // tg_type
	shape    []int64
	readOnly bool
	wrapped  bool // the memory is that of the caller

	name, unit, doc string
}

func (a *array) what() string {
	if a.readOnly {
		return "a result"
	}
	return "an array"
}

// give gives the array a handle and fills the struct of the header.
func (a *array) give(out *C.tg_array) {
	pinner := new(runtime.Pinner)
	address := a.words.Address()
	if a.device.dlType == dlCPU && !a.wrapped && address != 0 {
		pinner.Pin(*(*unsafe.Pointer)(unsafe.Pointer(&address))) // memory of Go, which C keeps the address of
	}
	a.lifetime = newLifetime(func() error {
		pinner.Unpin()
		return a.words.Close()
	})
	described := C.tg_array{size: C.sizeof_tg_array, _type: a.kind, handle: objects.add(a),
		rank: C.int32_t(len(a.shape)), device_type: C.int32_t(a.device.dlType), device_id: C.int32_t(a.device.dlID),
		bytes: C.int64_t(a.words.Len() * wordBytes),
		name:  constant(a.name), unit: constant(a.unit), doc: constant(a.doc)}
	*(*uintptr)(unsafe.Pointer(&described.data)) = address
	if a.readOnly {
		described.read_only = 1
	}
	stride := int64(1)
	for i := C.TG_MAX_RANK - 1; i >= 0; i-- {
		described.shape[i], described.strides[i] = 1, 1
		if i < len(a.shape) {
			described.shape[i], described.strides[i] = C.int64_t(a.shape[i]), C.int64_t(stride)
			stride *= a.shape[i]
		}
	}
	*out = described
}

// checkArrayStruct checks a struct that the caller wants to have filled.
func checkArrayStruct(op, argument string, out *C.tg_array) error {
	if out == nil {
		return missingPointer(op, argument)
	}
	if out.size != C.sizeof_tg_array {
		return wrongSize(op, argument, out.size, C.sizeof_tg_array)
	}
	return nil
}

// shapeOf checks and copies a shape. It returns the number of elements, which is at most exec.MaxElements.
func shapeOf(op string, kind, rank C.int32_t, shape C.tgi_int64s) (list []int64, elements int, err error) {
	if _, known := elementTypes[kind]; !known {
		return nil, 0, &backend.ArgumentError{Op: op, Argument: "type", Value: int32(kind),
			Allowed: "TG_INT32, TG_FLOAT32 or TG_UINT32"}
	}
	if rank < 1 || rank > C.TG_MAX_RANK {
		return nil, 0, &backend.ArgumentError{Op: op, Argument: "rank", Value: int32(rank),
			Allowed: fmt.Sprintf("1 to %d", C.TG_MAX_RANK)}
	}
	if shape == nil {
		return nil, 0, missingPointer(op, "shape")
	}
	product := int64(1)
	for i, size := range unsafe.Slice((*C.int64_t)(shape), rank) {
		if size < 0 || size > math.MaxInt32 || product*int64(size) > exec.MaxElements {
			return nil, 0, &backend.ArgumentError{Op: op, Argument: fmt.Sprintf("shape[%d]", i), Value: int64(size),
				Allowed: fmt.Sprintf("0 to %d elements in all", exec.MaxElements)}
		}
		product *= int64(size)
		list = append(list, int64(size))
	}
	return list, int(product), nil
}

// newArray checks what describes an array, makes its memory and gives it a handle.
func newArray(op string, handle C.tg_handle, kind, rank C.int32_t, shape C.tgi_int64s, out *C.tg_array,
	allocate func(d *device, elements int) (exec.Array[uint32], error)) error {
	if err := checkArrayStruct(op, "array", out); err != nil {
		return err
	}
	sizes, elements, err := shapeOf(op, kind, rank, shape)
	if err != nil {
		return err
	}
	d, err := acquire[*device](handle, "device", aDevice)
	if err != nil {
		return err
	}
	defer drop(d)
	words, err := allocate(d, elements)
	if err != nil {
		return err
	}
	retained, err := words.Retain()
	if err = errors.Join(err, words.Close()); err != nil {
		return err
	}
	a := &array{device: d, words: retained, kind: kind, shape: sizes, wrapped: op == wrapOp}
	a.give(out)
	return nil
}

//export tgo_array_new
func tgo_array_new(handle C.tg_handle, kind, rank C.int32_t, shape C.tgi_int64s, out *C.tg_array) C.int32_t {
	return call(func() error {
		return newArray("new array", handle, kind, rank, shape, out,
			func(d *device, elements int) (exec.Array[uint32], error) {
				return exec.NewArray[uint32](d.Device, elements)
			})
	})
}

// wrapOp is the operation of tg_wrap.
const wrapOp = "wrap"

// owner releases the memory of a caller.
type owner struct {
	release C.tgi_release
	user    unsafe.Pointer
}

// Release calls the function of the caller.
func (o *owner) Release() { C.tgi_call_release(o.release, o.user) }

//export tgo_wrap
func tgo_wrap(handle C.tg_handle, data unsafe.Pointer, kind, rank C.int32_t, shape C.tgi_int64s,
	release C.tgi_release, user unsafe.Pointer, out *C.tg_array) C.int32_t {
	return call(func() error {
		return newArray(wrapOp, handle, kind, rank, shape, out,
			func(d *device, elements int) (exec.Array[uint32], error) {
				if release == nil {
					return exec.Wrap[uint32](d.Device, uintptr(data), elements, nil)
				}
				return exec.Wrap[uint32](d.Device, uintptr(data), elements, &owner{release: release, user: user})
			})
	})
}

// hostBytes returns the host memory of a copy, which must be as long as the array. It may have any alignment.
func hostBytes(op string, a *array, memory unsafe.Pointer, bytes C.int64_t) ([]byte, error) {
	if want := a.words.Len() * wordBytes; int64(bytes) != int64(want) {
		return nil, &backend.ArgumentError{Op: op, Argument: "bytes", Value: int64(bytes),
			Allowed: fmt.Sprintf("%d, the size of the array", want)}
	}
	if memory == nil && bytes > 0 {
		return nil, missingPointer(op, "memory")
	}
	return unsafe.Slice((*byte)(memory), bytes), nil
}

// bytesOf returns the bytes of words.
func bytesOf(words []uint32) []byte {
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(words))), len(words)*wordBytes)
}

// onArray runs work with an array and a context of its device.
func onArray(handle, in C.tg_handle, work func(a *array, l *launch) error) error {
	a, err := acquire[*array](handle, "array", anArray)
	if err != nil {
		return err
	}
	defer drop(a)
	if err := a.device.enter(); err != nil {
		return err
	}
	defer drop(a.device)
	l, err := launchOn(in, a.device)
	if err != nil {
		return err
	}
	defer l.leave()
	return work(a, l)
}

//export tgo_array_read
func tgo_array_read(handle C.tg_handle, to unsafe.Pointer, bytes C.int64_t, in C.tg_handle) C.int32_t {
	const op = "read array"
	return call(func() error {
		return onArray(handle, in, func(a *array, l *launch) error {
			memory, err := hostBytes(op, a, to, bytes)
			if err != nil {
				return err
			}
			return l.run(func(ctx context.Context) error {
				words, err := a.words.Read(ctx)
				copy(memory, bytesOf(words))
				return err
			})
		})
	})
}

//export tgo_array_write
func tgo_array_write(handle C.tg_handle, from C.tgi_bytes, bytes C.int64_t, in C.tg_handle) C.int32_t {
	const op = "write array"
	return call(func() error {
		return onArray(handle, in, func(a *array, l *launch) error {
			if a.readOnly {
				return &backend.ArgumentError{Op: op, Argument: "array", Value: "the result " + a.name,
					Allowed: "an array of the caller: the library alone writes results"}
			}
			memory, err := hostBytes(op, a, unsafe.Pointer(from), bytes)
			if err != nil {
				return err
			}
			words := make([]uint32, a.words.Len())
			copy(bytesOf(words), memory)
			return l.run(func(ctx context.Context) error { return a.words.Write(ctx, words) })
		})
	})
}
