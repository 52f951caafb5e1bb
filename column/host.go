package column

import (
	"encoding/binary"
	"fmt"
	"math"
	"reflect"
	"unsafe"

	"github.com/trackgen-go/trackgen/kernel"
)

// Host is one column of a result in host memory.
type Host struct {
	Column
	array hostArray
}

// Len returns the number of elements. With E envs, the array has E equal parts, and part e belongs to env e.
func (h Host) Len() int { return h.array.length() }

// IsAbsent reports whether the result has no array of the column, that is, the field is nil.
func (h Host) IsAbsent() bool { return h.array.isNil() }

// Resize sets the field to a new array of n zero elements.
func (h Host) Resize(n int) { h.array.resize(n) }

// Vectors returns the array of a column of kernel.TypeVec3, or nil for another type. It shares the memory of the field.
func (h Host) Vectors() []kernel.Vec3 { return valuesOf[kernel.Vec3](h.array) }

// Quaternions returns the array of a column of kernel.TypeQuat, or nil for another type. It shares the memory of the
// field.
func (h Host) Quaternions() []kernel.Quat { return valuesOf[kernel.Quat](h.array) }

// Numbers returns the array of a column of kernel.Float32, or nil for another type. It shares the memory of the field.
func (h Host) Numbers() []float32 { return valuesOf[float32](h.array) }

// Integers returns the array of a column of kernel.Int32, or nil for another type. It shares the memory of the field.
func (h Host) Integers() []int32 { return valuesOf[int32](h.array) }

// Integer returns element i of a column of kernel.Int32, or 0 if the column is absent.
func (h Host) Integer(i int) int32 {
	if values := h.Integers(); values != nil {
		return values[i]
	}
	return 0
}

// CheckNumber returns an error if element k has a component that is not finite. With isReal false, the element is
// padding, which may also be the NaN with the bits kernel.NaNBits. Columns of whole numbers have no such element.
func (h Host) CheckNumber(k int, isReal bool) error {
	if h.IsAbsent() || h.Type == kernel.Int32 {
		return nil
	}
	n := h.Components()
	for _, bits := range h.array.words()[k*n : (k+1)*n] {
		v := math.Float32frombits(bits)
		if !kernel.IsFinite(v) && (isReal || bits != kernel.NaNBits) {
			return fmt.Errorf("%s has the bits %#08x, which is %v", h.Name, bits, v)
		}
	}
	return nil
}

// AppendEnvs appends the elements of the given envs of another result, in the given order. The envs must be in range.
// before is the number of envs that the array holds already, and stride is the number of elements per env. If only one
// of the results has the array, the elements of the envs of the other result are zero.
func (h Host) AppendEnvs(before int, from Host, envs []int, stride int) {
	if h.IsAbsent() {
		if from.IsAbsent() {
			return
		}
		h.Resize(before * stride)
	}
	h.array.extend(len(envs) * stride)
	if from.IsAbsent() {
		return
	}
	words := stride * h.Components()
	to, source := h.array.words()[before*words:], from.array.words()
	for i, e := range envs {
		copy(to[i*words:(i+1)*words], source[e*words:(e+1)*words])
	}
}

// AppendWords appends elements low to high-1 to dst as little-endian words of 32 bits. The elements of an absent column
// are 0.
func (h Host) AppendWords(dst []byte, low, high int) []byte {
	components := h.Components()
	if h.IsAbsent() {
		return append(dst, make([]byte, (high-low)*components*wordSize)...)
	}
	for _, word := range h.array.words()[low*components : high*components] {
		dst = binary.LittleEndian.AppendUint32(dst, word)
	}
	return dst
}

// SetWords stores the elements in src, which are little-endian words of 32 bits, from index low on. If src has two
// words for each kernel.Vec3, z becomes 0. In padding, where x is NaN, z becomes NaN as well.
func (h Host) SetWords(low int, src []byte, components int) {
	stride := h.Components()
	to := h.array.words()[low*stride:]
	if components == stride {
		for i := range len(src) / wordSize {
			to[i] = binary.LittleEndian.Uint32(src[i*wordSize:])
		}
		return
	}
	for i := range len(src) / (components * wordSize) {
		element := src[i*components*wordSize:]
		x := binary.LittleEndian.Uint32(element)
		to[i*stride], to[i*stride+1], to[i*stride+2] = x, binary.LittleEndian.Uint32(element[wordSize:]), 0
		if v := math.Float32frombits(x); v != v {
			to[i*stride+2] = x
		}
	}
}

// hostArray is a slice of any element type.
type hostArray interface {
	length() int
	isNil() bool
	resize(n int)
	extend(n int)
	words() []uint32 // shares memory with the slice
}

// hostArrayOf returns the slice of a field, whose type hostType accepts.
func hostArrayOf(field reflect.Value) hostArray {
	pointer := field.Addr().UnsafePointer()
	switch t, _ := hostType(field.Type()); t {
	case kernel.TypeVec2:
		return slice[kernel.Vec2]{(*[]kernel.Vec2)(pointer)}
	case kernel.TypeVec3:
		return slice[kernel.Vec3]{(*[]kernel.Vec3)(pointer)}
	case kernel.TypeQuat:
		return slice[kernel.Quat]{(*[]kernel.Quat)(pointer)}
	case kernel.Float32:
		return slice[float32]{(*[]float32)(pointer)}
	default:
		return slice[int32]{(*[]int32)(pointer)} // a type whose underlying type is int32 has the same memory layout
	}
}

type slice[T kernel.Element] struct{ field *[]T }

func (s slice[T]) length() int  { return len(*s.field) }
func (s slice[T]) isNil() bool  { return *s.field == nil }
func (s slice[T]) resize(n int) { *s.field = make([]T, n) }
func (s slice[T]) extend(n int) { *s.field = append(*s.field, make([]T, n)...) }

func (s slice[T]) words() []uint32 { return wordsOf(*s.field) }

func valuesOf[T kernel.Element](array hostArray) []T {
	if s, ok := array.(slice[T]); ok {
		return *s.field
	}
	return nil
}

// wordsOf returns the memory of the elements as words. All element types consist of 32-bit words without padding.
func wordsOf[T kernel.Element](values []T) []uint32 {
	if len(values) == 0 {
		return nil
	}
	n := len(values) * int(kernel.TypeOf[T]().Size()/wordSize)
	return unsafe.Slice((*uint32)(unsafe.Pointer(unsafe.SliceData(values))), n)
}
