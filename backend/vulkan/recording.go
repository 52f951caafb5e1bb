//go:build cgo && (linux || darwin)

package vulkan

import (
	"github.com/trackgen-go/trackgen/backend/recorder"
	"github.com/trackgen-go/trackgen/backend/vulkan/internal/vk"
)

// recording is a sequence of command buffers, which are submitted one after another, with everything they use:
// descriptor sets, scratch memory, and references to the memory of its operations. There is more than one only if their
// work would be too much for one submission. An eager stream fills one recording after another and gets them back when
// they have run; a graph owns one.
type recording struct {
	device  *device
	pool    poolHandle
	usage   vk.CommandBufferUsageFlagBits
	parts   []commandsHandle // the command buffers; those after the last used one are ready for use
	used    int              // number of parts in use
	work    float64          // estimate of the work of the last of them, which is being recorded
	broken  error            // an operation was recorded in part, so that the recording cannot be submitted
	hazards hazards
	toHost  bool // host memory is written, which the host must see at the end

	descriptors []descriptorPool
	sets        int // index of the descriptor pool in use
	scratch     scratch
	table       scratch // in host memory

	references []recorder.Keeper
	operations int    // number recorded so far
	value      uint64 // timeline value after it has run, 0 if not submitted
	once       bool   // belongs to a closed graph: do not reuse
}

// descriptorPool counts the free sets and descriptors of a pool.
type descriptorPool struct {
	handle      descriptorPoolHandle
	sets        int
	descriptors int
}

const (
	poolSets        = 256
	poolDescriptors = 2048
)

// scratch hands out memory that becomes free when the recording is reset.
type scratch struct {
	heap  *heap
	parts []*allocation
	index int // of the current part
	used  int64
}

// scratchUnit is the minimum size of a part in bytes.
const scratchUnit = 64 << 10

// take returns memory at a multiple of granule.
func (s *scratch) take(bytes int64) (binding, error) {
	bytes = roundUp(bytes)
	for ; s.index < len(s.parts); s.index, s.used = s.index+1, 0 {
		if part := s.parts[s.index]; bytes <= part.bytes-s.used {
			s.used += bytes
			return binding{block: part.block, offset: part.offset + s.used - bytes, bytes: bytes}, nil
		}
	}
	part, err := s.heap.alloc(max(bytes, scratchUnit))
	if err != nil {
		return binding{}, err
	}
	s.parts = append(s.parts, part)
	s.used = bytes
	return binding{block: part.block, offset: part.offset, bytes: bytes}, nil
}

// reset frees all parts, and returns large ones to the heap.
func (s *scratch) reset() {
	kept := s.parts[:0]
	for _, part := range s.parts {
		if part.bytes > scratchUnit {
			part.Release()
		} else {
			kept = append(kept, part)
		}
	}
	clear(s.parts[len(kept):])
	s.parts, s.index, s.used = kept, 0, 0
}

func (s *scratch) close() {
	for _, part := range s.parts {
		part.Release()
	}
	s.parts = nil
}

// newRecording begins a command buffer; it reuses one that has run if there is one.
func (d *device) newRecording(usage vk.CommandBufferUsageFlagBits) (*recording, error) {
	const doing = "begin a command buffer"
	r := d.queue.takeIdle()
	if r == nil {
		r = &recording{device: d, scratch: scratch{heap: d.memory}, table: scratch{heap: d.hostMemory}}
		var result vk.Result
		r.parts = make([]commandsHandle, 1)
		if r.pool, r.parts[0], result = d.handle.createCommands(d.family); result != vk.Success {
			return nil, d.failed(doing, result)
		}
	}
	r.usage, r.used = usage, 1
	r.trace(&command{kind: cutCommand})
	if result := d.handle.begin(r.commands(), usage); result != vk.Success {
		r.destroy()
		return nil, d.failed(doing, result)
	}
	return r, nil
}

// commands returns the command buffer that is being recorded.
func (r *recording) commands() commandsHandle { return r.parts[r.used-1] }

// reserve makes so many command buffers for later cuts.
func (r *recording) reserve(cuts int) error {
	for len(r.parts) < r.used+cuts {
		commands, result := r.device.handle.addCommands(r.pool)
		if result != vk.Success {
			return r.device.failed("make a command buffer", result)
		}
		r.parts = append(r.parts, commands)
	}
	return nil
}

// cut ends a command buffer and begins the next, which was reserved. The submissions of both are ordered by a
// semaphore, so that no barrier is needed between them. If the cut fails, finish returns the error.
func (r *recording) cut() error {
	handle := r.device.handle
	r.broken = r.device.failed("end a command buffer", handle.end(r.commands()))
	if r.broken == nil {
		r.used++
		r.work = 0
		r.hazards.clear()
		r.broken = r.device.failed("begin a command buffer", handle.begin(r.commands(), r.usage))
	}
	return r.broken
}

// finish ends the last command buffer.
func (r *recording) finish() error {
	if r.broken != nil {
		return r.broken
	}
	if r.toHost {
		r.device.handle.barrier(r.commands(), stageCompute|stageTransfer, vk.PipelineStageHostBit, allWrites,
			vk.AccessHostReadBit)
		r.trace(&command{kind: hostCommand})
	}
	return r.device.failed("end a command buffer", r.device.handle.end(r.commands()))
}

// trace passes a command to the trace of a test, if there is one.
func (r *recording) trace(c *command) {
	if trace := r.device.settings.trace; trace != nil {
		trace(r, *c)
	}
}

// reset prepares a recording that has run for reuse.
func (r *recording) reset() error {
	r.releaseOperations()
	r.scratch.reset()
	r.table.reset()
	r.hazards.clear()
	r.toHost, r.operations, r.value, r.sets, r.used, r.work = false, 0, 0, 0, 0, 0
	for i := range r.descriptors {
		if result := r.device.handle.resetDescriptorPool(r.descriptors[i].handle); result != vk.Success {
			return r.device.failed("reset descriptors", result)
		}
		r.descriptors[i].sets, r.descriptors[i].descriptors = poolSets, poolDescriptors
	}
	return r.device.failed("reset a command buffer", r.device.handle.resetPool(r.pool))
}

// releaseOperations drops the references to the memory of the operations.
func (r *recording) releaseOperations() {
	for _, k := range r.references {
		k.Release()
	}
	clear(r.references)
	r.references = r.references[:0]
}

// destroy releases everything. The command buffer must not be in use.
func (r *recording) destroy() {
	r.releaseOperations()
	r.scratch.close()
	r.table.close()
	for i := range r.descriptors {
		r.device.handle.destroyDescriptorPool(r.descriptors[i].handle)
	}
	r.descriptors = nil
	r.device.handle.destroyPool(r.pool)
}

// descriptorPool returns a pool with room for a set of that many descriptors, and counts them as used.
func (r *recording) descriptorPool(descriptors int) (descriptorPoolHandle, error) {
	for ; r.sets < len(r.descriptors); r.sets++ {
		if p := &r.descriptors[r.sets]; p.sets > 0 && p.descriptors >= descriptors {
			p.sets--
			p.descriptors -= descriptors
			return p.handle, nil
		}
	}
	handle, result := r.device.handle.createDescriptorPool(poolSets, poolDescriptors)
	if result != vk.Success {
		return 0, r.device.failed("make a descriptor pool", result)
	}
	r.descriptors = append(r.descriptors, descriptorPool{handle, poolSets - 1, poolDescriptors - descriptors})
	return handle, nil
}
