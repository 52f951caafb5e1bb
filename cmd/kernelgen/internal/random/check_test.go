package random

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// A program is left out if a device does not know one of its instructions. PTX that is wrong is never left out.
func TestWithoutRefused(t *testing.T) {
	const one, two = ".visible .entry k1()\n{\n\todd.u32 %r1;\n}\n", ".visible .entry k2()\n{\n\tret;\n}\n"
	rest, left := withoutRefused(one+two, "ptxas fatal: line 3: the interpreter does not know the instruction odd.u32")
	require.Equal(t, two, rest)
	require.Equal(t, 1, left)
	rest, left = withoutRefused(one+two, "ptxas fatal: line 3: odd.u32 with the operand %r1, a register of another size")
	require.Equal(t, one+two, rest)
	require.Zero(t, left)
}
