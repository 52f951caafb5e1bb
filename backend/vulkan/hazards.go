//go:build cgo && (linux || darwin)

package vulkan

import "github.com/trackgen-go/trackgen/backend/vulkan/internal/vk"

// use is an access of one command to a range of a block.
type use struct {
	block     *block
	low, high int64 // bytes [low, high)
	stage     vk.PipelineStageFlagBits
	access    vk.AccessFlagBits
}

// The kinds of access by commands of this package, and their stages.
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

// conflicts reports whether two uses need a barrier between them: they share a byte and one of them writes it.
func (u *use) conflicts(v *use) bool {
	return u.block == v.block && u.low < v.high && v.low < u.high && (u.access|v.access)&allWrites != 0
}

// maxUses limits the list of hazards. Beyond it, a barrier is cheaper than searching the list.
const maxUses = 256

// hazards lists the uses since the last barrier of a command buffer. A barrier orders everything before it with
// everything after it and so clears the list.
type hazards struct {
	uses   []use
	stages vk.PipelineStageFlagBits
	writes vk.AccessFlagBits
}

// need reports whether a barrier must precede a command with these uses.
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

// add adds the uses of a command.
func (h *hazards) add(uses []use) {
	for _, u := range uses {
		h.stages |= u.stage
		h.writes |= u.access & allWrites
		h.uses = append(h.uses, u)
	}
}

// clear empties the list after a barrier or at the start of a command buffer.
func (h *hazards) clear() {
	h.uses = h.uses[:0]
	h.stages, h.writes = 0, 0
}
