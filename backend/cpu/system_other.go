//go:build !linux

package cpu

import "runtime"

// readSystemMemory is not known on this system.
func readSystemMemory() (systemMemory, bool) { return systemMemory{}, false }

// processorName returns the architecture: this system does not name the processor.
func processorName() string { return runtime.GOARCH }
