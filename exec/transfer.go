package exec

import (
	"fmt"
	"unsafe"

	"github.com/trackgen-go/trackgen/backend"
	"github.com/trackgen-go/trackgen/kernel"
)

// Copy copies all of source to the beginning of destination, in stream order. To copy a range, slice the arrays. The
// two must not overlap, and destination must be at least as long as source. An empty source copies nothing.
func Copy[T kernel.Element](lc *LaunchContext, destination, source Array[T]) {
	const op = "copy"
	if !lc.accepts(op) {
		return
	}
	if err := destination.checkOn(op, "destination", lc.device); err != nil {
		lc.Fail(err)
		return
	}
	if err := source.checkOn(op, "source", lc.device); err != nil {
		lc.Fail(err)
		return
	}
	if source.length > destination.length {
		lc.Fail(&backend.ArgumentError{Op: op, Argument: "source length", Value: source.length,
			Allowed: fmt.Sprintf("at most %d, the destination's", destination.length)})
		return
	}
	destination.length = source.length
	to, from := destination.View(), source.View()
	if overlap(destination.memory, source.memory, to, from) {
		lc.Fail(&backend.ArgumentError{Op: op, Argument: "destination",
			Value:   "an array that overlaps source" + destination.memory.places(source.memory, to, from),
			Allowed: "a disjoint array"})
		return
	}
	lc.arrays.add(destination.memory)
	lc.arrays.add(source.memory)
	if source.length == 0 {
		return
	}
	if err := lc.stream.Copy(to, from); err != nil {
		lc.Fail(Doing(op, err))
	}
}

// Fill sets every element of destination to v, in stream order.
func Fill[T int32 | uint32 | float32](lc *LaunchContext, destination Array[T], v T) {
	const op = "fill"
	if !lc.accepts(op) {
		return
	}
	if err := destination.checkOn(op, "destination", lc.device); err != nil {
		lc.Fail(err)
		return
	}
	lc.arrays.add(destination.memory)
	if destination.length == 0 {
		return
	}
	// All three types are 32 bits wide, and a fill writes their bits.
	pattern := *(*uint32)(unsafe.Pointer(&v))
	if err := lc.stream.Fill(destination.View(), pattern); err != nil {
		lc.Fail(Doing(op, err))
	}
}
