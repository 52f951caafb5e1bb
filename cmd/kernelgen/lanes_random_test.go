package main

import (
	"testing"
	"time"

	"github.com/trackgen-go/trackgen/cmd/kernelgen/internal/hostrun"
	"github.com/trackgen-go/trackgen/cmd/kernelgen/internal/random"
)

// lanesLeg is the kernels in lanes. Without most optimisations they compile faster, and the translation is the same.
func lanesLeg() random.Leg {
	return random.Lanes("lanes", nil, append([]string{"-O1"}, hostrun.AVX2...)...)
}

// TestRandomLanes compares random kernels in lanes with the Go functions. TestRandomLanesSlow compares more of them.
func TestRandomLanes(t *testing.T) {
	if testing.Short() {
		t.Skip("it compiles kernels")
	}
	legs := []random.Leg{lanesLeg()}
	compareRandom(t, legs, seeds(1, 32), time.Minute)
	// A jump in a block within a branch, before statements that no lane reaches; a return at the end of a loop's body; a
	// parameter of the name of a type.
	compareRandom(t, legs, []uint64{218, 1398, 5_000_046}, time.Minute)
}

// lanesMistake is a leg with a mistake in the translation into lanes.
func lanesMistake(name string, mistake func(string) string) random.Leg {
	return random.Lanes(name, mistake, append([]string{"-O1"}, hostrun.AVX2...)...)
}

// lanesMistakes are mistakes in masks and selections.
func lanesMistakes() []random.Leg {
	return []random.Leg{
		lanesMistake("lanes that do not take a branch do", rewritten(`(\tvi kg_\d+ = )kg_\w+ & (.*;)`, "$1$2")),
		lanesMistake("no selection", rewritten(`(\w+) = kg_sel\(kg_\w+, (.*), (\w+)\);`, "$1 = $2;")),
	}
}

// TestRandomLanesNoticeMistakes makes mistakes in the kernels in lanes. TestRandomLanesNoticeMistakesSlow makes more.
func TestRandomLanesNoticeMistakes(t *testing.T) {
	if testing.Short() {
		t.Skip("it compiles kernels several times")
	}
	requireNoticed(t, 1000, 8, lanesMistakes())
}
