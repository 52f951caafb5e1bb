package twin

import "github.com/trackgen-go/trackgen/kernel"

// Slice is a checked slice: a buffer argument, a shared array or a local array that a helper is given.
type Slice[T any] struct {
	run    *Run
	data   []T
	memory memory
}

// Buffer returns buffer argument i of a kernel that writes it. phases says whether the kernel is a group kernel, which
// has phases.
func Buffer[T kernel.Element](r *Run, args *kernel.Args, i int, phases bool) Slice[T] {
	data := kernel.Slice[T](args, i)
	known := memory{units: make([]record, len(data)), traffic: newTraffic[T](r, len(data))}
	s := Slice[T]{run: r, data: data, memory: known}
	if phases {
		s.memory.items = make([]phased, len(data))
	}
	return s
}

// ReadOnly returns buffer argument i of a kernel that only reads it.
func ReadOnly[T kernel.Element](r *Run, args *kernel.Args, i int) Slice[T] {
	data := kernel.Slice[T](args, i)
	return Slice[T]{run: r, data: data, memory: memory{traffic: newTraffic[T](r, len(data))}}
}

// Shared returns a shared array of n elements, zero at the start.
func Shared[T any](r *Run, n int32) Slice[T] {
	return Slice[T]{run: r, data: make([]T, n), memory: memory{items: make([]phased, n)}}
}

// Local returns a slice of an array that belongs to one item.
func Local[T any](r *Run, array []T) Slice[T] { return Slice[T]{run: r, data: array} }

// Len returns the number of elements.
func (s Slice[T]) Len() int { return len(s.data) }

// Read returns element i.
func (s Slice[T]) Read(i, site int32) T {
	s.run.bounds(i, len(s.data), site)
	s.run.check(s.memory, opRead, i, site)
	return s.data[i]
}

// Write returns element i to be stored to.
func (s Slice[T]) Write(i, site int32) *T {
	s.run.bounds(i, len(s.data), site)
	s.run.check(s.memory, opWrite, i, site)
	return &s.data[i]
}

// Update returns element i to be changed in place.
func (s Slice[T]) Update(i, site int32) *T {
	s.Read(i, site)
	return s.Write(i, site)
}

// Rows is a two-dimensional shared array.
type Rows[T any] struct {
	columns int32
	rows    int32
	all     Slice[T]
}

// SharedRows returns a two-dimensional shared array, zero at the start.
func SharedRows[T any](r *Run, rows, columns int32) Rows[T] {
	return Rows[T]{columns: columns, rows: rows, all: Shared[T](r, rows*columns)}
}

// Row returns row i.
func (a Rows[T]) Row(i, site int32) Slice[T] {
	a.all.run.bounds(i, int(a.rows), site)
	first, end := i*a.columns, (i+1)*a.columns
	return Slice[T]{run: a.all.run, data: a.all.data[first:end], memory: memory{items: a.all.memory.items[first:end]}}
}

// combine returns element i to be changed by an atomic.
func combine(s Slice[int32], i, site int32, op operation) *int32 {
	s.run.bounds(i, len(s.data), site)
	s.run.check(s.memory, op, i, site)
	return &s.data[i]
}

// AtomicAdd is kernel.AtomicAdd.
func AtomicAdd(s Slice[int32], i, value, site int32) { *combine(s, i, site, opAdd) += value }

// AtomicMax is kernel.AtomicMax.
func AtomicMax(s Slice[int32], i, value, site int32) {
	element := combine(s, i, site, opMax)
	*element = max(*element, value)
}

// AtomicOr is kernel.AtomicOr.
func AtomicOr(s Slice[int32], i, value, site int32) { *combine(s, i, site, opOr) |= value }
