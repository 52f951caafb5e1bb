package random

import (
	"io"
	"testing"
	"time"

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

// While a program is shrunk, the legs get no program that runs for ever in Go.
func TestEndlessPrograms(t *testing.T) {
	t.Parallel() // most of its time is that of one program
	program := func(kernel, loop string) Program {
		return Program{Kernel: kernel, Items: 1, Source: `package main

import "github.com/trackgen-go/trackgen/kernel"

const _ = kernel.MaxBuffers

//kernel:thread
func ` + kernel + `(i int32, out0 []int32) {
	out0[i*4] = 5
	` + loop + `
}
`}
	}
	var ran []string
	leg := Leg{Name: "leg", Run: func(_ testing.TB, b *Batch) []Result {
		results := make([]Result, len(b.Programs))
		for i, p := range b.Programs {
			ran, results[i].Err = append(ran, p.Kernel), io.EOF
		}
		return results
	}}
	deadline := time.Now().Add(time.Hour)
	checker := &Checker{Vocabulary: vocabulary(t), Root: "../../../..", Legs: []Leg{leg}, deadline: deadline}
	programs := []Program{program("k1", ""), program("k2", "for out0[i*4] == 5 {\n\t}"), program("k3", "")}
	failures, refused := checker.Check(t, programs)
	require.Zero(t, refused)
	require.Len(t, failures, 2)
	require.Equal(t, []string{"k1", "k3"}, ran)

	checker.deadline = time.Now()
	failures, _ = checker.Check(t, programs)
	require.Empty(t, failures, "there is no time")
}
