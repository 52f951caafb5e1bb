package random

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// The programs that a device refuses are named, so that they fail and the others run: the one with the line of the
// error, and those with an instruction that the device does not know.
func TestWithoutRefused(t *testing.T) {
	const one, two = ".visible .entry k1()\n{\n\todd.u32 %r1;\n}\n", ".visible .entry k2()\n{\n\tret;\n}\n"
	rest, left := withoutRefused(one+two, "ptxas fatal: line 3: the interpreter does not know the instruction odd.u32")
	require.Equal(t, two, rest)
	require.Equal(t, []string{"k1"}, left)
	rest, left = withoutRefused(one+two, "ptxas fatal: line 3: odd.u32 with the operand %r1, a register of another size")
	require.Equal(t, two, rest)
	require.Equal(t, []string{"k1"}, left)
	rest, left = withoutRefused(one+two, "out of memory")
	require.Equal(t, one+two, rest)
	require.Empty(t, left)
}
