package kernel

import "unsafe"

// Limits of one kernel, the same on every backend (kernelgen checks them at file:line).
const (
	MaxBuffers     = 16
	MaxScalars     = 30
	MaxSharedBytes = 32 << 10
)

// Type is the type of a kernel parameter: of one element for a buffer, of the value for a scalar.
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

// Size returns the bytes of one element: 4, 8, 12 or 16.
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

// String returns the type as it is written in a kernel source.
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

// Element is what a buffer can hold.
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

// Access says what a kernel does with a buffer. kernelgen derives it; backends place barriers by it.
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
	Buffer bool   // a slice in the kernel's source; else a 32-bit scalar
	Access Access // buffers only
}

// Def is one kernel with all its implementations. kernelgen generates the value; backends identify a kernel by its
// address and refuse a Def whose ABI they were not built for.
type Def struct {
	Name   string // import path of the package, a dot, and the function name
	Group  bool   // a group kernel: a launch counts groups, else threads
	Lanes  int32  // preferred lanes of a group; never changes a result
	Params []Param
	ABI    uint64 // hash of Name, Group and Params

	// Bound is not 0 where the items of a launch have a bound in device memory: 1 and the index, counted over buffers, of an
	// []int32 that the kernel only reads. Items from its first element on return at once, so that a backend may leave them
	// out, and does where it can know the number in time.
	Bound int

	// Iterations bounds the iterations that all loops of one thread, or lane of a group, make together in a launch of
	// items with these scalars and lengths of buffers; it reads no memory. The test that ends a loop counts as one
	// more, and a phase is a loop over the items of a lane. nil where the kernel states no bound (//kernel:iterations).
	Iterations func(items int32, args *Args) float64

	// Go runs the items [first, last) of a launch: threads or groups, in ascending order.
	Go func(first, last int32, args *Args)

	// Twin runs a whole launch of n items in the instrumented twin: groups and the items of each phase in a random
	// order drawn from seed, every index checked, every race between items, threads or groups reported. It stops at the
	// first finding and returns it; the finding names the source line.
	Twin func(n int32, args *Args, seed uint64) error

	// Shader is the Vulkan compute shader as SPIR-V in little-endian bytes, nil if the package has none. Its interface:
	//   - entry point "main";
	//   - buffer k of Params, counted over buffers, is binding k of descriptor set 0 (std430, 32-bit words packed as in Go);
	//   - push constants are 32-bit words: [0] n, [1] zero (the bits of +0.0), [2...] the scalars in order;
	//   - specialisation constants: 0 the workgroup size in x (lanes of a group kernel, block of a thread kernel; default
	//     Lanes or 64), 1 whether division is native (bool, default true), 2 whether sqrt is native (bool, default true);
	//   - the item index is workgroup (x + y*numWorkgroups.x), for a thread kernel times the size plus the local index;
	//     items >= n return.
	Shader []byte

	// Module is the CUDA module that holds the kernel, nil if the package has none, and Entry is its name there. Its interface:
	//   - the parameters of the entry are n (32 bits), then those of Params in order: a buffer is a 64-bit address and
	//     after it its length in elements (32 bits), a scalar 32 bits;
	//   - blocks and grids have one dimension; a launch may have any number of blocks, at least one: the entry strides
	//     over the items by the size of the grid, so that each item < n runs once;
	//   - a block of a group kernel has exactly Lanes threads, one of a thread kernel any number up to 1024;
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

// Args holds the arguments of one launch for the Go implementations: buffers and scalars, each in parameter order.
type Args struct {
	Buffers [MaxBuffers]BufferArg
	Scalars [MaxScalars]uint32 // bit patterns

	// Work, if not nil, receives what the launch does, of implementations that count: twins do.
	Work *Work
}

// Work is what launches do.
type Work struct {
	// Operations is float32 sums, differences, products, quotients, comparisons and square roots, each one. Functions of
	// package kernel count with their longest way.
	Operations int64
	// BytesRead and BytesWritten are those of the elements of buffers that a launch reads before it writes them, and
	// that it writes, each once: what any implementation has to move.
	BytesRead, BytesWritten int64
}

// Add adds up.
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
