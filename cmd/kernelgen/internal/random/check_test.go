package random

import (
	"io"
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

// A program is made smaller as long as it fails in the same way, and not because of a mistake that it got meanwhile.
func TestFailuresOfOneKind(t *testing.T) {
	failure := func(leg, kernel string, err error) Failure {
		return Failure{leg, &Difference{Program: Program{Kernel: kernel}, Err: err}}
	}
	first := failure("PTX", "k1", nil)
	same, refused, index := failure("PTX", "k2", nil), failure("PTX", "k3", io.EOF), failure(twinLeg, "k2", io.EOF)
	require.True(t, first.like(same, []Failure{same}))
	require.True(t, first.like(same, []Failure{same, failure(twinLeg, "k3", io.EOF)}))
	require.False(t, first.like(same, []Failure{same, index}), "the smaller program has a wrong index")
	require.False(t, first.like(refused, []Failure{refused}))
	require.False(t, first.like(failure("host", "k2", nil), nil))
	require.True(t, failure(twinLeg, "k1", io.EOF).like(index, []Failure{index}))
}
