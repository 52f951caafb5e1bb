//go:build cgo && linux

package emulator

import (
	"fmt"
	"hash/fnv"
	"strings"
)

// Figures are what the interpreted launches of a kernel did. An instruction counts once for each warp that runs it.
type Figures struct {
	Module       uint64 // see ModuleIdentity
	Kernel       string // the name of the entry
	Launches     int64
	Blocks       int64
	Instructions int64
	Lanes        int64 // lanes that took part in the instructions: at most 32 in each
	Alone        int64 // instructions with one lane
	Cycles       int64 // estimated latency if a block had a multiprocessor to itself, the sum over all blocks
}

// ModuleIdentity returns the number by which the emulator knows a module.
func ModuleIdentity(ptx []byte) uint64 {
	hash := fnv.New64a()
	_, _ = hash.Write(ptx)
	return hash.Sum64()
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
