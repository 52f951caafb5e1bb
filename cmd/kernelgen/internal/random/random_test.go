package random

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/trackgen-go/trackgen/cmd/kernelgen/internal/source"
	"github.com/trackgen-go/trackgen/kernel"
)

func vocabulary(t *testing.T) *source.Program {
	t.Helper()
	program, err := source.Load("../../../..", []string{"./kernel", "./kernel/twin", "math"}, nil)
	require.NoError(t, err)
	return program
}

// TestGenerateDependsOnTheSeedAlone generates programs twice, with others between.
func TestGenerateDependsOnTheSeedAlone(t *testing.T) {
	first := Generate(7)
	require.NotEqual(t, strings.ReplaceAll(first.Source, "7", "8"), Generate(8).Source)
	require.Equal(t, first, Generate(7))
	def := &kernel.Def{Params: []kernel.Param{{Name: "in0", Type: kernel.Float32, Buffer: true}, {Name: "number0"}}}
	buffers, scalars := first.Arguments(def)
	again, scalarsAgain := first.Arguments(def)
	require.Equal(t, buffers, again)
	require.Equal(t, scalars, scalarsAgain)
	require.Len(t, buffers[0], inputLength)
}

// TestProgramsAreAccepted translates programs one by one. They are accepted by construction, and both kinds are among
// them.
func TestProgramsAreAccepted(t *testing.T) {
	known := vocabulary(t)
	var programs []Program
	for seed := range uint64(100) {
		programs = append(programs, Generate(10_000+seed))
	}
	programs = append(programs, Generate(720_067)) // a product beside a negative number in parentheses
	batch, refused, err := Translate(known, programs)
	require.NoError(t, err)
	require.Empty(t, refused)
	require.Len(t, batch.Programs, len(programs))
	groups := 0
	for i, def := range batch.Defs {
		require.True(t, strings.HasSuffix(def.Name, "."+batch.Programs[i].Kernel))
		if def.Group {
			groups++
		}
	}
	require.InDelta(t, 50, groups, 25)
}

// TestShrink shrinks a program that is taken to fail as long as it has a call of Sqrt. What is left has little else.
func TestShrink(t *testing.T) {
	known := vocabulary(t)
	program := Generate(1)
	for seed := uint64(2); !strings.Contains(program.Source, "kernel.Sqrt"); seed++ {
		program = Generate(seed)
	}
	tried := 0
	small := Shrink(known, program, func(list []Program) []bool {
		failed := make([]bool, len(list))
		for i, p := range list {
			tried++
			require.Equal(t, program.Seed, p.Seed)
			require.Contains(t, p.Source, "func "+p.Kernel+"(")
			failed[i] = strings.Contains(p.Source, "kernel.Sqrt")
		}
		return failed
	}, func() bool { return false })
	require.Contains(t, small.Source, "kernel.Sqrt")
	require.Equal(t, program.Kernel, small.Kernel)
	require.Less(t, strings.Count(small.Source, "\n"), 24, small.Source)
	_, refused, err := Translate(known, []Program{small})
	require.NoError(t, err)
	require.Empty(t, refused)
	require.Positive(t, tried)

	begin := time.Now()
	require.Equal(t, program, Shrink(known, program, nil, func() bool { return true }), "there is no time")
	require.Less(t, time.Since(begin), 10*time.Second)
}
