package track

import (
	"github.com/trackgen-go/trackgen/exec"
	"github.com/trackgen-go/trackgen/kernels/inflation"
	"github.com/trackgen-go/trackgen/pipeline/allocate"
)

// isBanked reports whether the road is tilted in bends.
func (c Config) isBanked() bool { return c.Banking.Profile != inflation.BankNames[0] }

// bankArrays returns the arrays of kernel inflation.Inflate for the bank angles: the length in plan view, a scratch row
// and the column.
func (c Config) bankArrays(a *allocate.Allocator) (perimeter, mean, bank exec.Array[float32]) {
	if !c.isBanked() {
		unused := func() exec.Array[float32] { return allocate.Staged(a, []float32{0}) }
		return unused(), unused(), unused()
	}
	_, planLength := c.planOutputs()
	n := c.Output.MaxPoints
	perimeter, mean = allocate.Input[float32](a, planLength), allocate.PerEnv[float32](a, n)
	return perimeter, mean, allocate.Output[float32](a, bankColumn, n)
}
