// Package kernel is the vocabulary of the kernel language: a restricted Go whose functions run unchanged on the CPU and are
// translated for GPUs, with the same bits everywhere. A kernel source imports this package and is an ordinary Go function,
// to be called, stepped through, fuzzed and covered like any other; cmd/kernelgen checks it and generates the rest.
//
// # Two kinds of kernel
//
// A thread kernel runs once for every index of a launch:
//
//	//kernel:thread
//	func scale(i int32, x []float32, factor float32) {
//		x[i] = float32(x[i] * factor)
//	}
//
// A group kernel runs once for every group, one env say. Code at group scope is uniform: each lane of a GPU runs it with the
// same values. It may assign, loop, branch, return and read anything, and writes no memory. A phase
//
//	for i := range g.Each(n) { ... }
//
// spreads n items over the lanes and ends with a barrier. It writes memory: an element that one item writes is touched by
// no other item of that phase. Arrays declared at group scope are shared by the items and zero at the start. Work for one item
// is a phase over g.Each(1); a reduction is an ordered loop at group scope or a fixed tree of phases. The package example shows
// such a kernel.
//
// Parameters are slices of int32, uint32, float32, [Vec2], [Vec3] or [Quat], and scalars of the three number types. Two slices of
// one launch overlap only if both are only read.
//
// # The subset
//
//   - Types: bool, int32, uint32, float32, the vectors and [TwoFloat], structs of these, and fixed arrays of one or two dimensions. No
//     int, float64, string, map, pointer, interface, closure or channel; slices only as parameters.
//   - Statements: if, for, switch, assignment, return, and calls of functions and value methods that obey the subset; no
//     recursion, goto, label, defer or append.
//   - Integers wrap. A shift count is constant or masked: x << (n & 31). A division by zero, or of the smallest int32 by -1, is
//     a bug of the kernel, which debug mode reports.
//   - Floats: +, -, *, / and [Sqrt] are exactly rounded, and nothing else is built in. Go may fuse a product with a sum, so a product
//     of floats stands in float32(...), unless it is an operand of *, / or a comparison: a + float32(b*c). A float becomes an integer by
//     [ToInt32] alone. [Min] and [Max] replace the built-in functions, whose treatment of NaN and signed zeros GPUs do not share.
//   - Loops may be long, but some drivers end long ones without a word: //kernel:iterations N bounds the iterations of all
//     loops of a lane, and a launch that may make more than its device lets it is refused (package iterations).
//   - Races, bounds and the rest of the rules: kernelgen proves or refuses at file:line, and debug mode runs an instrumented twin that
//     checks each access.
//
// # What the package offers
//
//   - Vectors: [Vec2], [Vec3], [Quat].
//   - Scalars: [Sqrt], [Abs], [CopySign], [Min], [Max], [Clamp], [Floor], [ToInt32], [Float32Bits], [Float32FromBits], [IsFinite], [IsNaN], [NaN], [Inf].
//   - Elementary functions, each within one ulp of the exact value: [Sin], [Cos], [Sincos], [Atan], [Atan2], [Exp], [Log].
//   - Sums of more than 24 bits: [TwoFloat], [TwoSum], [QuickTwoSum], [TwoProd].
//   - Random numbers: [Hash], [Uniform], [Integer], [Rand].
//   - Atomics on int32: [AtomicAdd], [AtomicMax], [AtomicOr].
//
// The bit conversions, Sqrt, ToInt32, Each and the atomics are intrinsics: each backend has its own form of them. Everything else in this
// package is written in the subset itself and translated like any helper.
//
// [Def], [Args] and what belongs to them describe a translated kernel to the backends; generated code fills them in.
package kernel
