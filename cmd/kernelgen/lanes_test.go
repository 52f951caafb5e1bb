package main

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/trackgen-go/trackgen/backend"
	"github.com/trackgen-go/trackgen/backend/backendtest"
	conformance "github.com/trackgen-go/trackgen/backend/backendtest/kernels"
	"github.com/trackgen-go/trackgen/cmd/kernelgen/internal/access"
	"github.com/trackgen-go/trackgen/cmd/kernelgen/internal/hostrun"
	"github.com/trackgen-go/trackgen/cmd/kernelgen/internal/lanes"
	"github.com/trackgen-go/trackgen/cmd/kernelgen/internal/source"
	"github.com/trackgen-go/trackgen/kernel"
	"github.com/trackgen-go/trackgen/kernels/centerline"
	"github.com/trackgen-go/trackgen/kernels/inflation"
	"github.com/trackgen-go/trackgen/kernels/relaxation"
	"github.com/trackgen-go/trackgen/kernels/repulsive"
	"github.com/trackgen-go/trackgen/track"
	"github.com/trackgen-go/trackgen/track/tracktest"
)

// lanesOf returns the kernels of packages in lanes, by the directory of the package.
func lanesOf(t testing.TB, patterns ...string) map[string][]*lanes.Text {
	t.Helper()
	program, err := source.Load("../..", patterns, nil)
	require.NoError(t, err)
	analysis := access.New(program)
	texts := map[string][]*lanes.Text{}
	for _, p := range program.Packages {
		dir := strings.TrimPrefix(p.Types.Path(), p.ModulePath+"/")
		for _, k := range p.Kernels {
			text, problem, err := lanes.Translate(program, k, analysis)
			require.NoError(t, err)
			require.Nil(t, problem, "%s", k.Object.Name())
			texts[dir] = append(texts[dir], text)
		}
	}
	return texts
}

// compareWithLanes builds the packages of kernels in lanes and compares every run of these.
func compareWithLanes(t *testing.T, defs []*kernel.Def, flags []string) (runs map[string]*int) {
	t.Helper()
	byPackage := map[string][]*kernel.Def{}
	for _, def := range defs {
		dir := strings.TrimPrefix(def.Name[:strings.LastIndexByte(def.Name, '.')], "github.com/trackgen-go/trackgen/")
		byPackage[dir] = append(byPackage[dir], def)
	}
	var patterns []string
	for dir := range byPackage {
		patterns = append(patterns, "./"+dir)
	}
	runs = map[string]*int{}
	for dir, texts := range lanesOf(t, patterns...) {
		runner := hostrun.BuildLanes(t, "", texts, flags...)
		for _, def := range byPackage[dir] {
			runs[def.Name] = hostrun.Compare(t, runner, def)
			if slices.Contains(disturbed, def) {
				hostrun.Disturb(t, def, hardFloats)
			}
		}
	}
	return runs
}

// requireRuns requires that each kernel has run.
func requireRuns(t *testing.T, runs map[string]*int) {
	t.Helper()
	require.NotEmpty(t, runs)
	for name, count := range runs {
		require.Positive(t, *count, "%s has not run", name)
	}
}

// TestLanesConformance runs the conformance suite of the backends, with its adversarial inputs, and compares the
// kernels in lanes with the Go function wherever the suite runs one.
func TestLanesConformance(t *testing.T) { conformsInLanes(t, hostrun.AVX2) }

func conformsInLanes(t *testing.T, flags []string) {
	t.Helper()
	runs := compareWithLanes(t, conformance.Defs, flags)
	backendtest.Run(t, backendtest.Config{Open: func(t testing.TB, options ...backend.Option) backend.Device {
		device, err := backend.Open("cpu", append(options, backend.Workers(1))...)
		require.NoError(t, err)
		return device
	}})
	requireRuns(t, runs)
}

// TestLanesGenerators generates tracks and compares the kernels in lanes that most of the time goes to, also with hard
// floats as points. TestLanesEveryKernel compares all kernels.
func TestLanesGenerators(t *testing.T) {
	defs := []*kernel.Def{&relaxation.RelaxDef, &centerline.BezierDef, &repulsive.GrowDef}
	defs = append(defs, inflation.Defs...)
	runs := compareWithLanes(t, defs, hostrun.AVX2)
	device, err := backend.Open("cpu", backend.Workers(1))
	require.NoError(t, err)
	defer func() { require.NoError(t, device.Close()) }()
	for _, name := range []string{track.Bezier, track.Repulsive} {
		generateIn(t, device, tracktest.Small(tracktest.Config(name, 3, func(c *track.Config) {
			c.Relax.Sweeps, c.Output.MaxPoints = 12, 160
		})))
	}
	requireRuns(t, runs)
}

// generateIn generates tracks once.
func generateIn(t *testing.T, device backend.Device, c track.Config) {
	t.Helper()
	generator, err := track.NewGenerator(device, c)
	require.NoError(t, err)
	_, err = generator.Generate(context.Background())
	require.NoError(t, err)
	require.NoError(t, generator.Close())
}

// TestLanesTranslate translates every kernel of the repository.
func TestLanesTranslate(t *testing.T) {
	texts := lanesOf(t, "./kernels/...", "./backend/backendtest/kernels")
	total := 0
	for _, list := range texts {
		total += len(list)
	}
	require.Greater(t, total, 100)
}
