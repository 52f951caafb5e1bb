package kernel

import "unsafe"

// Limits of one kernel, the same on every backend. kernelgen checks them and reports file:line.
const (
	MaxBuffers     = 16
	MaxScalars     = 29
	MaxSharedBytes = 32 << 10
)

// Type is the type of a kernel parameter: the element type of a buffer, or the type of a scalar.
type Type uint8

// The parameter types. Scalars are Int32, Uint32 or Float32; buffers may hold any of them.
const (
	Int32 Type = iota
	Uint32
	Float32
	TypeVec2
	TypeVec3
	TypeQuat
)

// Size returns the size of one element in bytes: 4, 8, 12 or 16.
func (t Type) Size() int64 {
	switch t {
	case TypeVec2:
		return 8
	case TypeVec3:
		return 12
	case TypeQuat:
		return 16
	default:
		return 4
	}
}

// String returns the name of the type in the source of a kernel.
func (t Type) String() string {
	switch t {
	case Int32:
		return "int32"
	case Uint32:
		return "uint32"
	case Float32:
		return "float32"
	case TypeVec2:
		return "kernel.Vec2"
	case TypeVec3:
		return "kernel.Vec3"
	case TypeQuat:
		return "kernel.Quat"
	default:
		return "invalid"
	}
}

// Element is the constraint for the elements of a buffer.
type Element interface {
	int32 | uint32 | float32 | Vec2 | Vec3 | Quat
}

// TypeOf returns the Type of T.
func TypeOf[T Element]() Type {
	var zero T
	switch any(zero).(type) {
	case int32:
		return Int32
	case uint32:
		return Uint32
	case float32:
		return Float32
	case Vec2:
		return TypeVec2
	case Vec3:
		return TypeVec3
	default:
		return TypeQuat
	}
}

// Access is a set of bits that says whether a kernel reads or writes a buffer. kernelgen derives it; backends use it to
// place barriers.
type Access uint8

// Access bits.
const (
	Read Access = 1 << iota
	Write
	ReadWrite = Read | Write
)

// Param is one parameter of a kernel, in the order of the Go function.
type Param struct {
	Name   string
	Type   Type
	Buffer bool   // a slice in the kernel's source if true, a 32-bit scalar otherwise
	Access Access // buffers only
}

// Def is one kernel with all its implementations. kernelgen generates it. Backends identify a kernel by the address of
// its Def, and refuse a Def with an ABI that they were not built for.
type Def struct {
	Name   string // import path of the package, a dot, and the function name
	Group  bool   // the items of a launch are groups if true, threads otherwise
	Lanes  int32  // preferred lanes of a group; never changes a result
	Params []Param
	ABI    uint64 // hash of Name, Group and Params

	// SharedBytes is the size of the arrays that the lanes of a group share, at most MaxSharedBytes. A device that has
	// less shared memory refuses the kernel.
	SharedBytes int64

	// Bound is not 0 if the number of items of a launch has a bound in device memory. It is then 1 plus the index, among
	// the buffers, of an []int32 that the kernel only reads. Its first element is the bound: items with this index or a
	// larger one return at once. A backend may omit them, and does so if it knows the bound in time.
	Bound int

	// Iterations returns an upper bound on the total iterations of all loops of one thread, or of one lane of a group, in
	// a launch with this number of items, these scalars and these lengths of buffers. It reads no buffer. The test that
	// ends a loop counts as one more iteration, and a phase counts as a loop over the items of a lane. Iterations is nil
	// if the kernel states no bound (//kernel:iterations).
	Iterations func(items int32, args *Args) float64

	// Go runs the items [first, last) of a launch, threads or groups, in ascending order.
	Go func(first, last int32, args *Args)

	// Vector does what Go does, with the same results bit for bit, eight items at a time in machine code. It is nil where
	// the processor, the build or the kernel has no such code: then Go is all there is. Neither the race detector nor the
	// garbage collector can look into machine code, so the instructions of one call end within about a millisecond.
	Vector func(first, last int32, args *Args)

	// Twin runs a whole launch of n items in the instrumented twin. Groups, and the items of each phase, run in a random
	// order drawn from seed. The twin checks every index and detects races between items, threads or groups. It stops at
	// the first error and returns it; the error names the source line.
	Twin func(n int32, args *Args, seed uint64) error

	// Shader is the Vulkan compute shader as SPIR-V in little-endian bytes, nil if the package has none. Its interface:
	//   - entry point "main";
	//   - buffer k of Params, counting only buffers from 0, is binding k of descriptor set 0 (std430, 32-bit words packed
	//     as in Go);
	//   - push constants are 32-bit words: [0] n, [1] zero (the bits of +0.0), [2] the first item of the dispatch,
	//     [3...] the scalars in order;
	//   - specialisation constants: 0 the workgroup size in x (lanes of a group kernel, block of a thread kernel;
	//     default Lanes or 64), 1 whether division is native (bool, default true), 2 whether sqrt is native (bool,
	//     default true), 3 an error that tests add to what the device computes where it is not (int, default 0);
	//   - the item index is the first item plus, for a group kernel, the workgroup index x + y*numWorkgroups.x, and for a
	//     thread kernel, the workgroup index times the workgroup size, plus the local index; items >= n return. So one
	//     launch can be several dispatches.
	Shader []byte

	// Module is the CUDA module that holds the kernel, nil if the package has none, and Entry is its name there. Its
	// interface:
	//   - the parameters of the entry are n (32 bits), then those of Params in order: a buffer is a 64-bit address
	//     followed by its length in elements (32 bits), a scalar 32 bits;
	//   - blocks and grids have one dimension; a launch has one or more blocks: the entry strides over the items by the
	//     size of the grid, so that each item < n runs once;
	//   - a block of a group kernel has exactly Lanes threads; a block of a thread kernel has at most 1024 threads;
	//   - all shared memory is static.
	Module *Module
	Entry  string
}

// Module is the CUDA code of one package of kernels.
type Module struct {
	Name string // import path of the package
	PTX  string
	Hash string // SHA-256 of PTX in hexadecimal digits
}

// BufferArg is one buffer of a launch in host memory.
type BufferArg struct {
	Data unsafe.Pointer // first element, aligned to 4 bytes; nil only if Len is 0
	Len  int            // elements
}

// Args holds the arguments of one launch for the Go implementations: buffers and scalars, both in parameter order.
type Args struct {
	Buffers [MaxBuffers]BufferArg
	Scalars [MaxScalars]uint32 // bit patterns

	// If Work is not nil, twins add the work of the launch to it. Other implementations ignore it.
	Work *Work
}

// Work counts the work of launches.
type Work struct {
	// Operations is the number of float32 sums, differences, products, quotients, comparisons and square roots. A call of
	// a function of package kernel counts the operations of the longest path through it.
	Operations int64
	// BytesRead is the size of the elements of buffers that a launch reads before it writes them, BytesWritten that of the
	// elements that it writes. Each element counts once, because every implementation must move it.
	BytesRead, BytesWritten int64
}

// Add adds other to w.
func (w *Work) Add(other Work) {
	w.Operations += other.Operations
	w.BytesRead += other.BytesRead
	w.BytesWritten += other.BytesWritten
}

// Slice returns the i-th buffer argument as a slice.
func Slice[T Element](a *Args, i int) []T {
	b := &a.Buffers[i]
	return unsafe.Slice((*T)(b.Data), b.Len)
}
