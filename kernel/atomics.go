package kernel

import "sync/atomic"

// The atomics combine integers in a buffer that many items, threads or groups may address at once. They return nothing,
// because the value before an atomic depends on the order of the items. What remains in the buffer after the launch
// (or, within a group, after the phase) does not. In one phase an element is touched by atomics of one kind only.

// AtomicAdd adds value to buffer[index], wrapping.
func AtomicAdd(buffer []int32, index, value int32) { atomic.AddInt32(&buffer[index], value) }

// AtomicOr sets the bits of value in buffer[index].
func AtomicOr(buffer []int32, index, value int32) { atomic.OrInt32(&buffer[index], value) }

// AtomicMax raises buffer[index] to value if it is below.
func AtomicMax(buffer []int32, index, value int32) {
	element := &buffer[index]
	for {
		old := atomic.LoadInt32(element)
		if old >= value || atomic.CompareAndSwapInt32(element, old, value) {
			return
		}
	}
}
