package trackgen

import (
	"github.com/trackgen-go/trackgen/exec"
	"github.com/trackgen-go/trackgen/kernel"
)

// Element is what an Array can hold: int32, uint32, float32, Vec2, Vec3 and some more of package kernel.
type Element = kernel.Element

// Vec2 is a vector of two float32, X and Y, without padding.
type Vec2 = kernel.Vec2

// Vec3 is a vector of three float32, X, Y and Z, without padding.
type Vec3 = kernel.Vec3

// Array is a range of device memory that holds elements of type T. It is a small value: copies and slices share the
// memory, and closing any of them releases it. Read and Write copy to and from host memory and wait; Address is where
// the elements are, for other libraries that work on the device.
type Array[T Element] = exec.Array[T]

// NewArray allocates an array of n elements, all zero, such as the mask of Regenerate. The caller closes it.
//
// It returns an *ArgumentError if n is out of range, and ErrOutOfMemory if the device cannot hold the array.
func NewArray[T Element](device Device, n int) (Array[T], error) { return exec.NewArray[T](device, n) }

// FromSlice allocates an array with the elements of source and waits until they are there. The caller closes it.
//
// It returns the errors of NewArray, and ErrCapture while the default stream of the device is being captured.
func FromSlice[T Element](device Device, source []T) (Array[T], error) {
	return exec.FromSlice(device, source)
}
