//go:build cgo && linux

package cuda

import "github.com/trackgen-go/trackgen/backend/recorder"

// largestGrid is the maximum number of blocks of a launch.
const largestGrid = 1<<31 - 1

// rounds is how many times the blocks of a large launch fill the device. Threads then take several items each, which
// saves the begin and end of a block, and blocks that take longer than others still find others to take their place.
const rounds = 4

// shape returns the number of blocks of a launch and the number of threads of each. Kernels stride over the items, so
// that any number of blocks runs all items: no result depends on it.
func shape(o *recorder.Operation, f *function) (grid, block uint32) {
	blocks, threads := int64(o.N), int64(o.Def.Lanes)
	switch {
	case o.Def.Group:
	case o.Block > 0:
		threads = min(int64(o.Block), int64(f.maxThreads))
		blocks = blocksOf(int64(o.N), threads)
	default:
		threads, blocks = f.spread(int64(o.N))
	}
	if o.MaxBlocks > 0 {
		blocks = min(blocks, int64(o.MaxBlocks))
	}
	return uint32(min(blocks, largestGrid)), uint32(threads)
}

// spread returns the size of blocks, and their number, for n threads. The size is the largest with which all
// multiprocessors have a block, so that a small launch uses the whole device.
func (f *function) spread(n int64) (threads, blocks int64) {
	size := len(blockSizes) - 1
	for size > 0 && (int32(blockSizes[size]) > f.maxThreads ||
		blocksOf(n, int64(blockSizes[size])) < int64(f.multiprocessors)) {
		size--
	}
	threads = min(int64(blockSizes[size]), int64(f.maxThreads))
	blocks = blocksOf(n, threads)
	if full := int64(f.takes.blocks[size]) * int64(f.multiprocessors) * rounds; full > 0 {
		blocks = min(blocks, full)
	}
	return threads, blocks
}

// blocksOf returns how many blocks of a number of threads hold n threads.
func blocksOf(n, threads int64) int64 { return (n + threads - 1) / threads }
