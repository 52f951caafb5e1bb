//go:build cgo && linux

package vulkan

import vk "github.com/vulkan-go/vulkan"

// use is what one command does with a range of a block.
type use struct {
	block     *block
	low, high int64 // bytes [low, high)
	stage     vk.PipelineStageFlagBits
	access    vk.AccessFlagBits
}

// What commands of this package do with memory, and where.
const (
	stageCompute  = vk.PipelineStageComputeShaderBit
	stageTransfer = vk.PipelineStageTransferBit
	stageIndirect = vk.PipelineStageDrawIndirectBit
	allStages     = stageCompute | stageTransfer | stageIndirect

	shaderRead    = vk.AccessShaderReadBit
	shaderWrite   = vk.AccessShaderWriteBit
	transferRead  = vk.AccessTransferReadBit
	transferWrite = vk.AccessTransferWriteBit
	indirectRead  = vk.AccessIndirectCommandReadBit
	allWrites     = shaderWrite | transferWrite
	allAccesses   = shaderRead | transferRead | indirectRead | allWrites
)

// conflicts tells whether two uses need a barrier between them: they share a byte and one of them writes.
func (u *use) conflicts(v *use) bool {
	return u.block == v.block && u.low < v.high && v.low < u.high && (u.access|v.access)&allWrites != 0
}

// maxUses bounds the list of hazards: beyond it a barrier costs less than looking through the list.
const maxUses = 256

// hazards knows what the commands since the last barrier of a command buffer have done. A barrier orders all that came
// before it with all that follows, so that it clears the list.
type hazards struct {
	uses   []use
	stages vk.PipelineStageFlagBits
	writes vk.AccessFlagBits
}

// need tells whether a barrier has to come before a command with these uses.
func (h *hazards) need(uses []use) bool {
	if len(h.uses)+len(uses) > maxUses {
		return len(h.uses) > 0
	}
	for i := range uses {
		for k := range h.uses {
			if uses[i].conflicts(&h.uses[k]) {
				return true
			}
		}
	}
	return false
}

// add notes a command.
func (h *hazards) add(uses []use) {
	for _, u := range uses {
		h.stages |= u.stage
		h.writes |= u.access & allWrites
		h.uses = append(h.uses, u)
	}
}

// clear forgets everything, after a barrier or at the start of a command buffer.
func (h *hazards) clear() {
	h.uses = h.uses[:0]
	h.stages, h.writes = 0, 0
}
