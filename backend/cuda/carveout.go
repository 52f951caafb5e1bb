//go:build cgo && linux

package cuda

// multiprocessor is what a multiprocessor has for the blocks that it runs at once. 0 means that the driver does not
// say.
type multiprocessor struct {
	threads, blocks, registers int
	shared                     int // bytes of shared memory at most
	reserved                   int // bytes of it that each block takes besides its own
}

// Registers are handed out to warps in units, and each of the four parts of a multiprocessor has a quarter of them.
// This holds for compute capabilities 7.0 to 12.0 (CUDA C++ Programming Guide, technical specifications).
const (
	warpLanes    = 32
	registerUnit = 256
	quarters     = 4
)

// carveout returns which part of its memory a multiprocessor should have as shared memory, in percent of the largest,
// so that it holds as many blocks of a kernel as its threads and registers allow. The rest is cache. some is false if
// the kernel has no shared memory, or if the driver does not say what is needed: then it chooses.
//
// The threads of a block are the maximum of the kernel: kernels with shared memory are those of groups, which are
// compiled for their number of lanes.
func (m multiprocessor) carveout(r resources) (percent int, some bool) {
	if r.shared <= 0 || r.threads <= 0 || m.shared <= 0 || m.threads <= 0 {
		return 0, false
	}
	warps := (r.threads + warpLanes - 1) / warpLanes
	blocks := m.threads / (warps * warpLanes)
	if m.blocks > 0 {
		blocks = min(blocks, m.blocks)
	}
	if m.registers > 0 && r.registers > 0 {
		ofWarp := (r.registers*warpLanes + registerUnit - 1) / registerUnit * registerUnit
		blocks = min(blocks, m.registers/quarters/ofWarp*quarters/warps)
	}
	bytes := max(blocks, 1) * (r.shared + m.reserved)
	return min((100*bytes+m.shared-1)/m.shared, 100), true
}
