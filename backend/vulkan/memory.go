//go:build cgo && (linux || darwin)

package vulkan

import (
	"fmt"
	"slices"
	"sync"
	"unsafe"

	"github.com/trackgen-go/trackgen/backend"
	"github.com/trackgen-go/trackgen/backend/vulkan/internal/vk"
	"github.com/trackgen-go/trackgen/internal/references"
)

// block is one allocation of the driver: memory with one buffer over all of it. A heap hands out parts of it.
type block struct {
	heap   *heap
	buffer bufferHandle
	memory memoryHandle
	mapped unsafe.Pointer // address of host memory
	bytes  int64          // of the buffer
	cost   int64          // of the memory
	parts  *ranges        // guarded by the heap
}

// allocation is a part of a block. It is free again when its last user has released it: the buffer that it belongs to,
// the command buffers that use it, and captures.
type allocation struct {
	block  *block
	offset int64
	bytes  int64 // a multiple of granule
	users  references.Count

	budget  *budget // the budget that counts it, nil for the memory of recordings
	counted int64   // bytes that the budget counts, as requested
}

// Retain implements recorder.Keeper.
func (a *allocation) Retain() bool { return a.users.Retain() }

// Release implements recorder.Keeper.
func (a *allocation) Release() {
	if !a.users.Release() {
		return
	}
	a.block.heap.free(a)
	if a.budget != nil {
		a.budget.give(a.counted)
	}
}

// heap is the device memory, or the host memory that the device can access.
type heap struct {
	device deviceHandle
	name   string // name of the device
	usage  vk.BufferUsageFlagBits
	types  []vk.MemoryType
	want   [2]vk.MemoryPropertyFlagBits // required and preferred properties of the memory
	avoid  vk.MemoryPropertyFlagBits    // properties to avoid
	limit  int64                        // maximum total size of the blocks in bytes
	unit   int64                        // size of an ordinary block in bytes
	mapped bool

	mu     sync.Mutex
	blocks []*block
	used   int64 // total size of the blocks in bytes
	closed bool
}

const (
	hostVisible  = vk.MemoryPropertyHostVisibleBit
	hostCoherent = vk.MemoryPropertyHostCoherentBit
	hostCached   = vk.MemoryPropertyHostCachedBit
	deviceLocal  = vk.MemoryPropertyDeviceLocalBit

	// ordinary are the properties that memory may have. Others, such as PROTECTED, LAZILY_ALLOCATED or AMD's
	// DEVICE_COHERENT, need features that the device is opened without, or are for other purposes.
	ordinary = deviceLocal | hostVisible | hostCoherent | hostCached
)

const (
	smallestUnit = 1 << 20
	largestUnit  = 32 << 20
)

func newDeviceHeap(device deviceHandle, name string, d *description) *heap {
	h := &heap{device: device, name: name, types: d.types, want: [2]vk.MemoryPropertyFlagBits{deviceLocal, deviceLocal},
		avoid: hostVisible,
		usage: vk.BufferUsageStorageBufferBit | vk.BufferUsageTransferSrcBit | vk.BufferUsageTransferDstBit |
			vk.BufferUsageIndirectBufferBit}
	h.setLimit(d)
	return h
}

func newHostHeap(device deviceHandle, name string, d *description) *heap {
	h := &heap{device: device, name: name, types: d.types, want: [2]vk.MemoryPropertyFlagBits{hostVisible | hostCoherent,
		hostCached},
		avoid: deviceLocal, mapped: true,
		usage: vk.BufferUsageStorageBufferBit | vk.BufferUsageTransferSrcBit | vk.BufferUsageTransferDstBit}
	h.setLimit(d)
	return h
}

// setLimit limits the heap to the size of the memory heap of its preferred type: some drivers promise more than they
// have.
func (h *heap) setLimit(d *description) {
	if candidates := h.candidates(^uint32(0)); len(candidates) > 0 {
		h.limit = int64(d.heaps[d.types[candidates[0]].HeapIndex].Size)
	}
	h.unit = min(max(h.limit/64/granule*granule, smallestUnit), largestUnit)
}

// candidates returns the suitable memory types among the allowed ones, best first.
func (h *heap) candidates(allowed uint32) []int {
	var list []int
	rank := func(i int) int {
		flags := h.types[i].PropertyFlags
		n := 0
		if flags&h.want[1] == h.want[1] {
			n -= 2
		}
		if flags&h.avoid != 0 {
			n++
		}
		return n
	}
	for i := range h.types {
		flags := h.types[i].PropertyFlags
		if allowed>>i&1 != 0 && flags&h.want[0] == h.want[0] && flags&^ordinary == 0 {
			list = append(list, i)
		}
	}
	slices.SortStableFunc(list, func(a, b int) int { return rank(a) - rank(b) })
	return list
}

// alloc returns a part of at least bytes bytes, with one user. Its content is undefined.
func (h *heap) alloc(bytes int64) (*allocation, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.closed {
		return nil, &backend.ClosedError{Op: "allocate", What: "device"}
	}
	if bytes > h.limit {
		return nil, h.outOfMemory(bytes)
	}
	bytes = roundUp(bytes)
	for _, b := range h.blocks {
		if offset, ok := b.parts.take(bytes); ok {
			return newAllocation(b, offset, bytes), nil
		}
	}
	size := h.unit
	if bytes > size/2 {
		size = bytes // in its own block
	}
	b, err := h.newBlock(size)
	if err != nil && size > bytes {
		b, err = h.newBlock(bytes)
	}
	if err != nil {
		return nil, err
	}
	h.blocks = append(h.blocks, b)
	offset, _ := b.parts.take(bytes)
	return newAllocation(b, offset, bytes), nil
}

func newAllocation(b *block, offset, bytes int64) *allocation {
	a := &allocation{block: b, offset: offset, bytes: bytes}
	a.users.Begin()
	return a
}

func (h *heap) outOfMemory(bytes int64) error {
	return &backend.OutOfMemoryError{Device: h.name, Bytes: bytes, Limit: max(h.limit-h.used, 0)}
}

// newBlock allocates a block from the driver. The caller holds h.mu.
func (h *heap) newBlock(bytes int64) (*block, error) {
	if bytes > h.limit-h.used {
		return nil, h.outOfMemory(bytes)
	}
	buffer, needs, allowed, result := h.device.createBuffer(bytes, h.usage)
	if result != vk.Success {
		return nil, h.refused(bytes, result)
	}
	result = vk.ErrorOutOfDeviceMemory
	for _, i := range h.candidates(allowed) {
		var memory memoryHandle
		var mapped unsafe.Pointer
		if memory, mapped, result = h.device.bind(buffer, needs, uint32(i), h.mapped); result == vk.Success {
			h.used += needs
			return &block{heap: h, buffer: buffer, memory: memory, mapped: mapped, bytes: bytes, cost: needs,
				parts: newRanges(bytes)}, nil
		}
	}
	h.device.destroyBuffer(buffer, 0)
	return nil, h.refused(bytes, result)
}

// refused returns the error of an allocation that the driver refused.
func (h *heap) refused(bytes int64, result vk.Result) error {
	if result == vk.ErrorOutOfDeviceMemory || result == vk.ErrorOutOfHostMemory || result == vk.ErrorTooManyObjects {
		// The available memory is less than the requested amount.
		return &backend.OutOfMemoryError{Device: h.name, Bytes: bytes, Limit: min(max(h.limit-h.used, 0), bytes-1)}
	}
	return resultError(h.name, fmt.Sprintf("allocate %d bytes", bytes), result)
}

// free frees a part. It returns an unused block to the driver unless it is the last one.
func (h *heap) free(a *allocation) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.closed {
		return
	}
	b := a.block
	b.parts.give(a.offset, a.bytes)
	if !b.parts.unused() || len(h.blocks) == 1 && b.bytes == h.unit {
		return
	}
	h.blocks = slices.DeleteFunc(h.blocks, func(other *block) bool { return other == b })
	h.destroy(b)
}

func (h *heap) destroy(b *block) {
	h.device.destroyBuffer(b.buffer, b.memory)
	h.used -= b.cost
}

// close returns all blocks to the driver. Nothing may be in use.
func (h *heap) close() {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.closed = true
	for _, b := range h.blocks {
		h.destroy(b)
	}
	h.blocks = nil
}

// Bytes implements recorder.HostMemory.
func (a *allocation) Bytes() []byte { return a.bytesAt(a.counted) }

// bytesAt returns the mapped memory of an allocation of a host heap.
func (a *allocation) bytesAt(bytes int64) []byte {
	return unsafe.Slice((*byte)(unsafe.Add(a.block.mapped, a.offset)), bytes)
}
