//go:build cgo && (linux || darwin)

package vulkan

import (
	"github.com/trackgen-go/trackgen/backend/vulkan/internal/vk"
	"github.com/trackgen-go/trackgen/kernel"
)

// binding is a range of a block and how a command accesses it.
type binding struct {
	block  *block
	offset int64
	bytes  int64
	access kernel.Access
}

// commandKind is the kind of a command in a command buffer.
type commandKind uint8

const (
	dispatchCommand commandKind = iota
	copyCommand
	fillCommand
	barrierCommand // passed to traces only: the encoder places barriers
	cutCommand     // passed to traces only: what follows is in another submission
	hostCommand    // passed to traces only: the host will see what was written
)

// command is one command with all its operands.
type command struct {
	kind     commandKind
	pipeline *pipeline
	pool     descriptorPoolHandle // dispatch: the pool of its descriptor set
	bindings []binding            // dispatch
	words    []uint32             // dispatch: the push constants
	x, y     uint32               // dispatch: workgroups, unless indirect
	indirect binding              // dispatch: where the workgroup counts are; no block if x and y hold them
	from, to binding              // copy; fill: to
	pattern  uint32               // fill
	perGroup uint32               // dispatch: items per workgroup if the window's bound limits them, else 0
	before   uint32               // dispatch: workgroups of the same launch in earlier dispatches
	work     float64              // estimate, see device.maxWork
	window   *window              // dispatch: the enclosing conditional, nil if there is none
	parent   *window              // dispatch that opens a conditional: the enclosing one, nil if there is none

	stages vk.PipelineStageFlagBits // barrier: the stages it waits for
	writes vk.AccessFlagBits        // barrier: the writes it makes visible
}

// uses appends the command's accesses to memory.
func (c *command) uses(list []use) []use {
	switch c.kind {
	case dispatchCommand:
		for i := range c.bindings {
			access := vk.AccessFlagBits(0)
			if c.bindings[i].access&kernel.Read != 0 {
				access |= shaderRead
			}
			if c.bindings[i].access&kernel.Write != 0 {
				access |= shaderWrite
			}
			list = append(list, c.bindings[i].use(stageCompute, access))
		}
		if c.indirect.block != nil {
			list = append(list, c.indirect.use(stageIndirect, indirectRead))
		}
	case copyCommand:
		list = append(list, c.from.use(stageTransfer, transferRead), c.to.use(stageTransfer, transferWrite))
	case fillCommand:
		list = append(list, c.to.use(stageTransfer, transferWrite))
	}
	return list
}

// changes reports whether the command writes a byte of b.
func (c *command) changes(b binding) bool {
	target := b.use(stageCompute, shaderRead)
	for _, use := range c.uses(nil) {
		if use.access&allWrites != 0 && use.conflicts(&target) {
			return true
		}
	}
	return false
}

func (b *binding) use(stage vk.PipelineStageFlagBits, access vk.AccessFlagBits) use {
	return use{block: b.block, low: b.offset, high: b.offset + b.bytes, stage: stage, access: access}
}

// part returns a range of a binding.
func (b binding) part(offset, bytes int64, access kernel.Access) binding {
	return binding{block: b.block, offset: b.offset + offset, bytes: bytes, access: access}
}
