//go:build slow

package main

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/trackgen-go/trackgen/backend"
	"github.com/trackgen-go/trackgen/bench/parity"
	"github.com/trackgen-go/trackgen/bench/producers"
	"github.com/trackgen-go/trackgen/cmd/kernelgen/internal/hostrun"
	"github.com/trackgen-go/trackgen/cmd/kernelgen/internal/random"
	"github.com/trackgen-go/trackgen/gate"
	"github.com/trackgen-go/trackgen/heightfield"
	"github.com/trackgen-go/trackgen/track"
	"github.com/trackgen-go/trackgen/track/tracktest"
)

// TestLanesEveryKernel runs what the repository's kernels are for, with numbers of envs and points around the number of
// lanes, and compares every kernel in lanes with its Go function.
func TestLanesEveryKernel(t *testing.T) {
	runs := compareWithLanes(t, producers.Defs(), hostrun.AVX2)
	device, err := backend.Open("cpu", backend.Workers(1))
	require.NoError(t, err)
	defer func() { require.NoError(t, device.Close()) }()
	for _, name := range track.Generators() {
		for _, points := range []int{31, 32, 33, 40} {
			generateIn(t, device, tracktest.Small(tracktest.Config(name, 9, func(c *track.Config) {
				c.Output.LoopPoints, c.Output.MaxPoints, c.Output.Spacing, c.Relax.Sweeps = points, points, 0.3, 12
			})))
		}
		generateIn(t, device, tracktest.Small(tracktest.Config(name, 17)))
	}
	for _, name := range gate.Generators() {
		c := gate.DefaultConfig()
		c.Generator, c.NumEnvs, c.Gate.Width, c.Candidates = name, 17, 0.25, 3
		c.Elevation.Profile, c.Elevation.Min, c.Elevation.Max = "noise", -0.4, 0.4
		g, err := gate.NewGenerator(device, c)
		require.NoError(t, err)
		require.NoError(t, g.Close())
	}
	for _, mode := range []string{heightfield.Nearest, heightfield.Smooth} {
		c := heightfield.DefaultConfig()
		c.Resolution, c.Blend.Mode = 20, mode
		_, err := parity.CompareHeights(t.Context(), []backend.Device{device}, c, 2, 5, []parity.Mode{parity.Masked}, nil)
		require.NoError(t, err)
	}
	for _, run := range []func(context.Context, backend.Device, int) error{
		producers.RunProgress, producers.RunObstacles, producers.RunBorders, producers.RunLines, producers.RunRacelines,
		producers.RunCourse, producers.RunObservations, producers.RunVehicles, producers.RunPursuit, producers.RunFlight,
		producers.RunRace, producers.RunRewards,
	} {
		require.NoError(t, run(t.Context(), device, 3))
	}
	ran := 0
	for name, count := range runs {
		if *count == 0 {
			t.Logf("%s has not run", name)
			continue
		}
		ran++
	}
	require.Greater(t, 10*ran, 7*len(runs), "kernels that have run")
}

// TestRandomLanesSlow compares hundreds of random kernels in lanes, for AVX2 and for processors without it.
func TestRandomLanesSlow(t *testing.T) {
	legs := []random.Leg{lanesLeg(), random.Lanes("lanes without AVX2", nil, "-O1")}
	for first := uint64(5_000_000); first < 5_000_512; first += batchSize {
		compareRandom(t, legs, seeds(first, batchSize), time.Minute)
	}
}

// TestRandomLanesNoticeMistakesSlow makes mistakes in masks, stores and arithmetic.
func TestRandomLanesNoticeMistakesSlow(t *testing.T) {
	requireNoticed(t, 1000, 24, append(lanesMistakes(),
		lanesMistake("lanes do not leave", rewritten(`\t(kg_\w+) &= ~kg_\w+;`, "")),
		lanesMistake("the tail is not masked", replaced("kg_iota() < (int)(rest < KG_W ? rest : KG_W)", "vi(-1)")),
		lanesMistake("a value of lane 0 for all", rewritten(`kg_from\((c_\w+)\)`, "vi($1)")),
		lanesMistake("a partial store is whole", replaced("if (kg_all(m)) {\n\t\tkg_store_all(p + (long)first, v);",
			"if (true) {\n\t\tkg_store_all(p + (long)first, v);")),
		lanesMistake("remainder with the sign of the divisor", replaced("KG vi kg_rem(vi a, vi b) { return",
			"KG vi kg_rem(vi a, vi b) { if (kg_any((a - kg_quo(a, b) * b) < 0)) return a - kg_quo(a, b) * b + b; return")),
		lanesMistake("no saturation", replaced("vi(2147483647), t)", "t, t)")),
	))
}

// TestLanesConformanceSlow is TestLanesConformance for processors without AVX2.
func TestLanesConformanceSlow(t *testing.T) { conformsInLanes(t, nil) }
