//go:build slow && cgo && linux

package cuda

import (
	"testing"

	"github.com/trackgen-go/trackgen/backend"
	"github.com/trackgen-go/trackgen/bench/producers"
)

// unnoticed are the kinds of mutants that change no word of the recorded launches, in any place of a kernel: barriers
// between the items of a block that share nothing, selects and quotients for arguments that are not drawn, and last
// bits of numbers that are compared, rounded to integers, or added to much larger ones.
var unnoticed = map[string][]string{
	"checkpoint.choose":  {"contraction"},
	"gate.arrange":       {"contraction"},
	"gate.corners":       {"dropped barrier"},
	"gate.knots":         {"dropped barrier", "swapped select"},
	"gate.ring":          {"dropped barrier", "reciprocal"},
	"hull.vertices":      {"dropped barrier", "contraction"},
	"inflation.level":    {"dropped barrier"},
	"measured.bridges":   {"reciprocal"},
	"measured.cross":     {"contraction"},
	"measured.separate":  {"reciprocal", "contraction"},
	"repulsive.begin":    {"dropped barrier"},
	"seeding.normal":     {"reciprocal"},
	"seeding.poisson":    {"reciprocal", "contraction"},
	"seeding.quaternion": {"swapped select", "contraction"},
	"selection.judge":    {"contraction"},
}

// For every kernel of the producers, a mutant of each kind is caught, apart from those that change nothing.
func TestInterpretedMutantsOfAllKernels(t *testing.T) {
	checkMutants(t, producers.Defs(), 1000, func(d backend.Device) { everyKernel(t, d) }, unnoticed)
}
