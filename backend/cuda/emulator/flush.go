//go:build cgo && linux

package emulator

// #include <stdint.h>
//
// static int flush(void *f, int mode) { return ((int (*)(int))f)(mode); }
import "C"

import (
	"fmt"
	"strings"
	"testing"
)

// Denormals is what kernels do with denormals.
type Denormals int

// The ways of treating denormals.
const (
	KeepDenormals    Denormals = iota // as IEEE 754 demands, and as CUDA does
	FlushDenormals                    // inputs and results are zeros instead
	CompareDenormals                  // keep them, and run each launch with zeros before, to compare the results
)

// SetDenormals chooses what the kernels of this instance do with denormals. It skips the test if this processor cannot
// flush them.
func (e *Emulator) SetDenormals(tb testing.TB, d Denormals) {
	tb.Helper()
	if C.flush(e.symbol("emulator_flush"), C.int(d)) == 0 {
		tb.Skip("NOT TESTED: this processor has no flags that flush denormals")
	}
}

// Flushed is what CompareDenormals found in the launches of a kernel.
type Flushed struct {
	Launches int
	Words    int // that differed where denormal results, denormal inputs or both were zeros
}

// Flushed returns the findings of CompareDenormals by the name of the kernel.
func (e *Emulator) Flushed() map[string]Flushed {
	found := make(map[string]Flushed)
	for line := range strings.Lines(e.text("emulator_flushed")) {
		var name string
		var f Flushed
		if _, err := fmt.Sscanf(line, "%s %d %d", &name, &f.Launches, &f.Words); err == nil {
			found[name] = f
		}
	}
	return found
}
