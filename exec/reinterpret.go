package exec

import (
	"fmt"

	"github.com/trackgen-go/trackgen/backend"
	"github.com/trackgen-go/trackgen/kernel"
)

// Reinterpret returns the memory of a as elements of another type, such as float32 as kernel.Vec3: element i of the
// result consists of the bytes that follow those of element i-1. The result is a slice of a: closing either releases
// both. All types consist of words of 32 bits, which stay as they are.
//
// It returns a *backend.ArgumentError if a does not consist of whole elements of the other type.
func Reinterpret[T, U kernel.Element](a Array[U]) (Array[T], error) {
	if a.memory == nil {
		return Array[T]{}, nil
	}
	from, to := int(elementSize[U]()), int(elementSize[T]())
	offset, bytes := a.offset*from, a.length*from
	if offset%to != 0 || bytes%to != 0 {
		return Array[T]{}, &backend.ArgumentError{Op: "reinterpret", Argument: "array",
			Value:   fmt.Sprintf("%d bytes from byte %d on", bytes, offset),
			Allowed: fmt.Sprintf("whole elements of %v, of %d bytes", kernel.TypeOf[T](), to)}
	}
	return Array[T]{memory: a.memory, offset: offset / to, length: bytes / to}, nil
}
