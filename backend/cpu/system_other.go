//go:build !linux

package cpu

import "runtime"

// readSystemMemory returns false: this system does not report its memory.
func readSystemMemory() (systemMemory, bool) { return systemMemory{}, false }

// processorName returns the architecture, because this system does not report the processor.
func processorName() string { return runtime.GOARCH }
