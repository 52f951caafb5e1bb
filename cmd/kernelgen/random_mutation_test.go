package main

import (
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/trackgen-go/trackgen/cmd/kernelgen/internal/random"
)

// replaced returns a mutation that replaces one text by another everywhere.
func replaced(old, changed string) func(string) string {
	return func(text string) string { return strings.ReplaceAll(text, old, changed) }
}

// rewritten returns a mutation that replaces what a regular expression matches.
func rewritten(pattern, changed string) func(string) string {
	expression := regexp.MustCompile(pattern)
	return func(text string) string { return expression.ReplaceAllString(text, changed) }
}

// requireNoticed runs programs on legs whose translations have a mistake each, and requires that every leg differs.
func requireNoticed(t *testing.T, first uint64, count int, legs []random.Leg) {
	t.Helper()
	checker := &random.Checker{Vocabulary: loadVocabulary(t), Root: "../..", Legs: legs}
	programs := make([]random.Program, count)
	for i := range programs {
		programs[i] = random.Generate(first + uint64(i))
	}
	failures, _ := checker.Check(t, programs)
	noticed := map[string]int{}
	for _, f := range failures {
		if f.Err == nil || strings.Contains(f.Err.Error(), "lanes ended") {
			noticed[f.Leg]++
		}
	}
	for _, leg := range legs {
		require.Positive(t, noticed[leg.Name], "%s: no program of %d differs", leg.Name, count)
		t.Logf("%s: %d programs of %d differ", leg.Name, noticed[leg.Name], count)
	}
}

// hostMistakes are mistakes in the CUDA C.
func hostMistakes() []random.Leg {
	return []random.Leg{
		random.Host("remainder with the sign of the divisor",
			replaced("b == -1 ? 0 : a % b", "b == -1 ? 0 : (a % b + b) % b")),
		random.Host("no saturation", replaced("return 2147483647;", "return -2147483647 - 1;")),
		random.Host("no test for a NaN", replaced("(v_x != v_x)", "(false)")),
		random.Host("no barrier after a phase", rewritten(`\}\n\t*KG_BARRIER\(\);`, "}"), fibres...),
	}
}

// TestRandomKernelsNoticeMistakes makes mistakes in the CUDA C. TestRandomKernelsNoticeMistakesSlow makes more of them,
// also in shaders; TestInterpretedMutants of backend/cuda makes mistakes in PTX.
func TestRandomKernelsNoticeMistakes(t *testing.T) {
	if testing.Short() {
		t.Skip("it compiles kernels several times")
	}
	requireNoticed(t, 1000, 24, hostMistakes())
}
