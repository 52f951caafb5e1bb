package main

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/trackgen-go/trackgen/backend"
	"github.com/trackgen-go/trackgen/backend/backendtest"
	"github.com/trackgen-go/trackgen/cmd/kernelgen/internal/access"
	"github.com/trackgen-go/trackgen/cmd/kernelgen/internal/hostrun"
	"github.com/trackgen-go/trackgen/cmd/kernelgen/internal/lanes"
	"github.com/trackgen-go/trackgen/cmd/kernelgen/internal/source"
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

// compareWithLanes builds the packages below a directory in lanes and compares every run of their kernels.
func compareWithLanes(t *testing.T, below string, flags []string) (runs map[string]*int) {
	runs = map[string]*int{}
	var patterns []string
	for dir := range packages {
		if strings.HasPrefix(dir, below) {
			patterns = append(patterns, "./"+dir)
		}
	}
	for dir, texts := range lanesOf(t, patterns...) {
		runner := hostrun.BuildLanes(t, "", texts, flags...)
		for _, def := range packages[dir] {
			runs[def.Name] = hostrun.Compare(t, runner, def)
			if slices.Contains(disturbed, def) {
				hostrun.Disturb(t, def, hardFloats)
			}
		}
	}
	return runs
}

// TestLanesConformance runs the conformance suite of the backends, with its adversarial inputs, and compares the
// kernels in lanes with the Go function wherever the suite runs one.
func TestLanesConformance(t *testing.T) {
	for name, flags := range map[string][]string{"AVX2": hostrun.AVX2, "SSE2": nil} {
		t.Run(name, func(t *testing.T) {
			runs := compareWithLanes(t, "backend/", flags)
			backendtest.Run(t, backendtest.Config{Open: func(t testing.TB, options ...backend.Option) backend.Device {
				device, err := backend.Open("cpu", append(options, backend.Workers(1))...)
				require.NoError(t, err)
				return device
			}})
			for name, count := range runs {
				require.Positive(t, *count, "%s has not run", name)
			}
		})
	}
}

// TestLanesGenerators generates tracks and compares each kernel in lanes on the inputs that it gets there.
func TestLanesGenerators(t *testing.T) {
	runs := compareWithLanes(t, "kernels/", hostrun.AVX2)
	device, err := backend.Open("cpu", backend.Workers(1))
	require.NoError(t, err)
	defer func() { require.NoError(t, device.Close()) }()
	for _, name := range track.Generators() {
		generator, err := track.NewGenerator(device, tracktest.Small(tracktest.Config(name, 16)))
		require.NoError(t, err)
		_, err = generator.Generate(context.Background())
		require.NoError(t, err)
		require.NoError(t, generator.Close())
	}
	total := 0
	for name, count := range runs {
		t.Logf("%s ran %d times", name, *count)
		total += *count
	}
	require.Greater(t, total, 10)
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
