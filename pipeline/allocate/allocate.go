// Package allocate is a short way for stages to get their arrays. An Allocator keeps the first error, so a stage asks
// for one array after the other and looks at the error once:
//
//	a := allocate.New(b)
//	count := allocate.Input[int32](a, "count")
//	end := allocate.PerEnv[float32](a, 256)
//	return func(lc *exec.LaunchContext) { ... a.Active.Array() ... }, a.Err
package allocate

import (
	"context"

	"github.com/trackgen-go/trackgen/exec"
	"github.com/trackgen-go/trackgen/kernel"
	"github.com/trackgen-go/trackgen/pipeline"
)

// Allocator is the builder of a stage. Once Err is not nil, everything that it allocates is the zero array.
type Allocator struct {
	exec.Builder
	Active *pipeline.List // the envs on which the stage works
	Err    error          // the first error
}

// New returns an allocator for the stage that is being built with b.
func New(b exec.Builder) *Allocator {
	a := &Allocator{Builder: b}
	a.Active, a.Err = pipeline.Active(b)
	return a
}

// Try calls get unless there has been an error. It returns the zero value after one.
func Try[T any](a *Allocator, get func() (T, error)) T {
	var result T
	if a.Err == nil {
		result, a.Err = get()
	}
	return result
}

// PerEnv allocates n elements per env that the stage keeps for itself.
func PerEnv[T kernel.Element](a *Allocator, n int) exec.Array[T] {
	return Try(a, func() (exec.Array[T], error) { return exec.PerEnv[T](a.Builder, n) })
}

// Scratch allocates n elements that all envs share and that the stage keeps for itself.
func Scratch[T kernel.Element](a *Allocator, n int) exec.Array[T] {
	return Try(a, func() (exec.Array[T], error) { return exec.Scratch[T](a.Builder, n) })
}

// Staged allocates an array that all envs share, and fills it with values.
func Staged[T kernel.Element](a *Allocator, values []T) exec.Array[T] {
	array := Scratch[T](a, len(values))
	Write(a, array, values)
	return array
}

// Write fills an array with values.
func Write[T kernel.Element](a *Allocator, array exec.Array[T], values []T) {
	if a.Err == nil {
		a.Err = array.Write(context.Background(), values)
	}
}

// Output is pipeline.Output.
func Output[T kernel.Element](a *Allocator, name string, n int) exec.Array[T] {
	return Try(a, func() (exec.Array[T], error) { return pipeline.Output[T](a.Builder, name, n) })
}

// Input is pipeline.Input.
func Input[T kernel.Element](a *Allocator, name string) exec.Array[T] {
	return Try(a, func() (exec.Array[T], error) { return pipeline.Input[T](a.Builder, name) })
}

// Counter is an output with one number for all envs.
func Counter(a *Allocator, name string) exec.Array[int32] {
	return Try(a, func() (exec.Array[int32], error) { return pipeline.SharedOutput[int32](a.Builder, name, 1) })
}

// ArrayOf is pipeline.ArrayOf for a program whose stages are parts of the stage.
func ArrayOf[T kernel.Element](a *Allocator, program *pipeline.Program, name string) exec.Array[T] {
	return Try(a, func() (exec.Array[T], error) { return pipeline.ArrayOf[T](program, name) })
}

// Part returns elements low to high-1 of an array.
func Part[T kernel.Element](a *Allocator, array exec.Array[T], low, high int) exec.Array[T] {
	return Try(a, func() (exec.Array[T], error) { return array.Slice(low, high) })
}

// Bit converts a condition to an argument of a kernel: 1 if it holds, else 0.
func Bit(condition bool) int32 {
	if condition {
		return 1
	}
	return 0
}
