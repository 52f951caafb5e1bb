package trackgen

import (
	"github.com/trackgen-go/trackgen/backend"
	"github.com/trackgen-go/trackgen/exec"
	"github.com/trackgen-go/trackgen/kernel"
)

// Element lists the types that an Array can hold: int32, uint32, float32, Vec2, Vec3 and others of package kernel.
type Element = kernel.Element

// Vec2 is a vector of two float32, X and Y, without padding.
type Vec2 = kernel.Vec2

// Vec3 is a vector of three float32, X, Y and Z, without padding.
type Vec3 = kernel.Vec3

// Array is a range of device memory that holds elements of type T. It is a small value: copies and slices share the
// memory, and closing any of them releases it. Read and Write copy between the array and host memory, and wait for the
// copy. Address returns the device address of the elements, for other libraries that work on the device, and Retain
// keeps the memory for them after the owner of the array has been closed.
type Array[T Element] = exec.Array[T]

// NewArray allocates an array of n zero elements, for example for the mask of Regenerate. The caller closes it.
//
// It returns an *ArgumentError if n is out of range, and ErrOutOfMemory if the device has too little memory.
func NewArray[T Element](device Device, n int) (Array[T], error) { return exec.NewArray[T](device, n) }

// FromSlice allocates an array, copies the elements of source to it and waits for the copy. The caller closes the
// array.
//
// It returns the errors of NewArray, and ErrCapture while the default stream of the device is being captured.
func FromSlice[T Element](device Device, source []T) (Array[T], error) {
	return exec.FromSlice(device, source)
}

// Wrap returns an array of n elements in memory that another library has allocated on the device, such as the mask of a
// trainer, without a copy. address is a CUdeviceptr, or on the CPU a host address. owner is kept reachable as long as
// the array, work or graphs use the memory, and is then told if it is a Releaser. The caller closes the array.
//
// It returns an *ArgumentError if n is out of range, or if the address is 0, misaligned, of another device, or of
// memory that is too small; and ErrUnsupported on devices whose memory has no address (Vulkan).
func Wrap[T Element](device Device, address uintptr, n int, owner any) (Array[T], error) {
	return exec.Wrap[T](device, address, n, owner)
}

// Releaser is an owner of wrapped memory that is told, by a call of Release, when its memory is used no more.
type Releaser = backend.Releaser

// ReleaseFunc is a function as a Releaser.
type ReleaseFunc = backend.ReleaseFunc
