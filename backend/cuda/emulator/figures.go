//go:build cgo && linux

package emulator

import (
	"fmt"
	"hash/fnv"
	"strings"

	"github.com/trackgen-go/trackgen/backend/cuda/internal/ptx"
)

// Figures are what the interpreted launches of a kernel did. An instruction counts once for each warp that runs it.
type Figures struct {
	Module       uint64 // see KernelIdentity
	Kernel       string // the name of the entry
	Launches     int64
	Blocks       int64
	Instructions int64
	Lanes        int64 // lanes that took part in the instructions: at most 32 in each
	Alone        int64 // instructions with one lane
	Cycles       int64 // estimated latency if a block had a multiprocessor to itself, the sum over all blocks
}

// KernelIdentity returns the number by which the emulator knows a kernel of a module: the backend has each kernel
// compiled alone.
func KernelIdentity(module, entry string) uint64 {
	hash := fnv.New64a()
	_, _ = hash.Write([]byte(ptx.Kernel(module, entry)))
	return hash.Sum64()
}

// KernelIdentities returns the numbers of all kernels of a module.
func KernelIdentities(module string) (numbers []uint64) {
	for _, entry := range ptx.Entries(module) {
		numbers = append(numbers, KernelIdentity(module, entry))
	}
	return numbers
}

// Figures returns the figures of all kernels that were interpreted, in no order that means anything.
func (e *Emulator) Figures() ([]Figures, error) {
	var all []Figures
	for line := range strings.Lines(e.text("emulator_figures")) {
		var f Figures
		if _, err := fmt.Sscan(line, &f.Module, &f.Kernel, &f.Launches, &f.Blocks, &f.Instructions, &f.Lanes, &f.Alone,
			&f.Cycles); err != nil {
			return nil, fmt.Errorf("figures of the emulator: %w", err)
		}
		all = append(all, f)
	}
	return all, nil
}
