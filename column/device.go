package column

import (
	"context"
	"fmt"
	"io"
	"reflect"

	"github.com/trackgen-go/trackgen/backend"
	"github.com/trackgen-go/trackgen/exec"
	"github.com/trackgen-go/trackgen/kernel"
	"github.com/trackgen-go/trackgen/pipeline"
)

// Device is one column of a result in device memory.
type Device struct {
	Column
	array deviceArray
}

// Len returns the number of elements. With E envs, the array has E equal parts, and part e belongs to env e.
func (d Device) Len() int { return d.array.length() }

// IsAbsent reports whether the result has no array of the column, that is, the field is the zero exec.Array.
func (d Device) IsAbsent() bool { return d.array.isZero() }

// Allocate sets the field to a new array of n zero elements. The caller closes the array.
func (d Device) Allocate(device backend.Device, n int) (io.Closer, error) {
	return d.array.allocate(device, n)
}

// Copy emits a copy of the elements of from, the same column of another result of the same shape. If from is absent, it
// emits nothing.
func (d Device) Copy(lc *exec.LaunchContext, from Device) {
	if !from.IsAbsent() {
		d.array.copyFrom(lc, from.array)
	}
}

// Read copies the array to the same column of a result in host memory. If the array is absent, that column becomes nil.
func (d Device) Read(ctx context.Context, to Host) error { return d.array.read(ctx, to.array) }

// Write copies the same column of a result in host memory to the array. It waits. If that column is absent, the array
// keeps its elements.
func (d Device) Write(ctx context.Context, from Host) error {
	if from.IsAbsent() {
		return nil
	}
	return d.array.write(ctx, from.array)
}

// Provide gives elements low to high-1 to the stages of a program, under the name of the column.
func (d Device) Provide(b *pipeline.Builder, low, high int) error {
	return d.array.provide(b, d.Name, low, high)
}

// Raw returns the memory of the array as words of 32 bits, with Components words for each element. They are valid as
// long as the array. The words of an absent array are the zero exec.Array.
func (d Device) Raw() exec.Array[uint32] { return d.array.raw() }

// Words downloads the array as bit patterns, with Components words for each element, and waits.
func (d Device) Words(ctx context.Context) ([]uint32, error) { return d.array.words(ctx) }

// deviceArray is an exec.Array of any element type.
type deviceArray interface {
	length() int
	isZero() bool
	allocate(device backend.Device, n int) (io.Closer, error)
	copyFrom(lc *exec.LaunchContext, from deviceArray)
	read(ctx context.Context, to hostArray) error
	readInto(ctx context.Context, memory *HostMemory, to hostArray) error
	write(ctx context.Context, from hostArray) error
	provide(b *pipeline.Builder, name string, low, high int) error
	words(ctx context.Context) ([]uint32, error)
	take(p Packed, low, high int) error
	raw() exec.Array[uint32]
}

// deviceTypes are the types that a field may have.
var deviceTypes = map[reflect.Type]kernel.Type{
	reflect.TypeFor[exec.Array[kernel.Vec2]](): kernel.TypeVec2,
	reflect.TypeFor[exec.Array[kernel.Vec3]](): kernel.TypeVec3,
	reflect.TypeFor[exec.Array[kernel.Quat]](): kernel.TypeQuat,
	reflect.TypeFor[exec.Array[float32]]():     kernel.Float32,
	reflect.TypeFor[exec.Array[int32]]():       kernel.Int32,
}

// deviceArrayOf returns the array of a field, whose type is one of deviceTypes.
func deviceArrayOf(field reflect.Value) deviceArray {
	switch pointer := field.Addr().Interface().(type) {
	case *exec.Array[kernel.Vec2]:
		return array[kernel.Vec2]{pointer}
	case *exec.Array[kernel.Vec3]:
		return array[kernel.Vec3]{pointer}
	case *exec.Array[kernel.Quat]:
		return array[kernel.Quat]{pointer}
	case *exec.Array[float32]:
		return array[float32]{pointer}
	case *exec.Array[int32]:
		return array[int32]{pointer}
	}
	return nil
}

type array[T kernel.Element] struct{ field *exec.Array[T] }

func (a array[T]) length() int  { return a.field.Len() }
func (a array[T]) isZero() bool { return a.field.IsZero() }

func (a array[T]) allocate(device backend.Device, n int) (io.Closer, error) {
	made, err := exec.NewArray[T](device, n)
	if err != nil {
		return nil, err
	}
	*a.field = made
	return made, nil
}

func (a array[T]) copyFrom(lc *exec.LaunchContext, from deviceArray) {
	if other, ok := from.(array[T]); ok { // every schema gives a column one type
		exec.Copy(lc, *a.field, *other.field)
	}
}

func (a array[T]) read(ctx context.Context, to hostArray) (err error) {
	other, ok := to.(slice[T])
	switch {
	case !ok: // every schema gives a column one type
		return &backend.ArgumentError{Op: "read", Argument: "host column", Value: fmt.Sprintf("%T", to),
			Allowed: "the same column"}
	case a.isZero():
		*other.field = nil
		return nil
	}
	*other.field, err = a.field.Read(ctx)
	return err
}

func (a array[T]) write(ctx context.Context, from hostArray) error {
	other, ok := from.(slice[T])
	if !ok { // every schema gives a column one type
		return &backend.ArgumentError{Op: "write", Argument: "host column", Value: fmt.Sprintf("%T", from),
			Allowed: "the same column"}
	}
	return a.field.Write(ctx, *other.field)
}

func (a array[T]) provide(b *pipeline.Builder, name string, low, high int) error {
	part, err := a.field.Slice(low, high)
	if err != nil {
		return err
	}
	return pipeline.Provide(b, name, part)
}

func (a array[T]) words(ctx context.Context) ([]uint32, error) {
	values, err := a.field.Read(ctx)
	return wordsOf(values), err
}

func (a array[T]) raw() exec.Array[uint32] {
	words, _ := exec.Reinterpret[uint32](*a.field) // every type consists of whole words
	return words
}
