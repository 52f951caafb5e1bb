// Package lanes writes a kernel as C++ for clang with vector extensions, eight items at a time, with the bits of the Go
// function. It is the fourth target of kernelgen, for the CPU.
//
// Lane l of a vector belongs to item l of eight that follow each other. A kernel is one text; prelude.h, which begins
// each, has the vectors, masks and accesses to memory that the generated code calls.
//
// # Classes
//
// For each variable and expression, flow finds how its values in the lanes relate to each other (classes.go): uniform
// values are a scalar, and so are consecutive ones, uniform plus the number of the lane, by which arrays are indexed.
// All others are vectors. Near ones are consecutive but for some lanes, such as the index of the next point of a closed
// line: where they turn out consecutive at run time, one load does. A variable has the class of all that is assigned to
// it, and one that only some lanes assign is a vector. The counter of a loop stays a scalar although lanes leave the
// loop early, because lanes that have left do not read it.
//
// Helpers are written once for each combination of classes of their arguments (functions.go), and always inlined.
// A helper whose arguments are uniform is scalar code. Group scope and phases of one item are scalar code too.
//
// # Masks
//
// A mask is a vector of 0 and -1 that says which lanes are on. A branch that depends on a vector runs with the lanes
// that take it, if there are any; one that costs little runs without a test (cost.go). A variable from outside of a
// branch or loop is assigned by selection. A break, continue or return turns its lanes off in the masks around it, and
// what follows runs if any lane is left. So code runs only while a lane is on, except where it neither reads memory nor
// can trap.
//
// # Memory
//
// No lane, on or off, reads or writes outside of a buffer. Consecutive elements of a buffer are read by masked loads.
// A gather reads element 0 for lanes that are off, which exists while any lane is on. A store writes lanes that are on
// alone, because others may belong to another thread. The arrays of a group lie in scratch memory that the caller
// gives, with room for a vector at both ends, so that eight elements are read, and written back, at once. Their layout
// follows their use (shapes.go): rows of items are transposed, and structs split by word where items use their own or
// neighbouring elements. The arrays of an item are interleaved, one vector an element.
//
// Stores of one place by several lanes go in the order of the items. Atomics of one place are combined first.
package lanes
