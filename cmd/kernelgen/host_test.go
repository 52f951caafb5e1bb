package main

import (
	"context"
	"math"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/trackgen-go/trackgen/backend"
	"github.com/trackgen-go/trackgen/backend/backendtest"
	conformance "github.com/trackgen-go/trackgen/backend/backendtest/kernels"
	_ "github.com/trackgen-go/trackgen/backend/cpu"
	"github.com/trackgen-go/trackgen/cmd/kernelgen/internal/hostrun"
	"github.com/trackgen-go/trackgen/kernel"
	"github.com/trackgen-go/trackgen/kernels/centerline"
	"github.com/trackgen-go/trackgen/kernels/checkpoint"
	"github.com/trackgen-go/trackgen/kernels/hull"
	"github.com/trackgen-go/trackgen/kernels/inflation"
	"github.com/trackgen-go/trackgen/kernels/measured"
	"github.com/trackgen-go/trackgen/kernels/relaxation"
	"github.com/trackgen-go/trackgen/kernels/seeding"
	"github.com/trackgen-go/trackgen/kernels/selection"
	"github.com/trackgen-go/trackgen/kernels/spline"
	"github.com/trackgen-go/trackgen/kernels/voronoi"
	"github.com/trackgen-go/trackgen/track"
	"github.com/trackgen-go/trackgen/track/tracktest"
)

// The ways in which the CUDA C is compiled for the host.
var (
	native    = []string{"-march=native"} // fused multiply-adds are there, and must not be used
	sanitized = []string{"-O1", "-fsanitize=undefined,address", "-fno-sanitize-recover=all", "-fno-wrapv"}
)

// fibres runs kernels with as many lanes as those of the repository ask for.
var fibres = []string{"-DFIBRES=128"}

// packages are the kernels of the repository by the directory of their package.
var packages = map[string][]*kernel.Def{
	"backend/backendtest/kernels": conformance.Defs,
	"kernels/centerline":          centerline.Defs,
	"kernels/checkpoint":          checkpoint.Defs,
	"kernels/hull":                hull.Defs,
	"kernels/inflation":           inflation.Defs,
	"kernels/measured":            measured.Defs,
	"kernels/relaxation":          relaxation.Defs,
	"kernels/seeding":             seeding.Defs,
	"kernels/selection":           selection.Defs,
	"kernels/spline":              spline.Defs,
	"kernels/voronoi":             voronoi.Defs,
}

// disturbed are the kernels that take any floats as points.
var disturbed = []*kernel.Def{
	&relaxation.RelaxDef, &relaxation.RelaxSmallDef, &inflation.EvenDef, &inflation.InflateDef, &inflation.ValidateDef,
}

var hardFloats = []float32{
	float32(math.NaN()), float32(math.Inf(1)), float32(math.Inf(-1)), 0, float32(math.Copysign(0, -1)),
	0x1p-149, -0x1p-130, 0x1p-126, math.MaxFloat32, -math.MaxFloat32, 1e19, -1e-22, 1, 0x1.000002p0,
}

// compareWithHost builds the packages below a directory and compares every run of their kernels.
func compareWithHost(t *testing.T, below string, flags []string) (runs map[string]*int) {
	runs = map[string]*int{}
	for dir, defs := range packages {
		if !strings.HasPrefix(dir, below) {
			continue
		}
		runner := hostrun.Build(t, filepath.Join("../..", dir, "kernel_generated.cu"), flags...)
		for _, def := range defs {
			runs[def.Name] = hostrun.Compare(t, runner, def)
			if slices.Contains(disturbed, def) {
				hostrun.Disturb(t, def, hardFloats)
			}
		}
	}
	return runs
}

// TestHostConformance runs the conformance suite of the backends, with its adversarial inputs, and compares the C with
// the Go function wherever the suite runs one.
func TestHostConformance(t *testing.T) {
	for name, flags := range map[string][]string{"native": native, "sanitized": sanitized} {
		t.Run(name, func(t *testing.T) {
			runs := compareWithHost(t, "backend/", flags)
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

// TestHostGenerators generates tracks and compares the C of each kernel on the inputs that it gets there.
func TestHostGenerators(t *testing.T) {
	t.Run("native", func(t *testing.T) { generateOnHost(t, native, 64) })
	t.Run("fibres", func(t *testing.T) { generateOnHost(t, fibres, 2) })
}

func generateOnHost(t *testing.T, flags []string, envs int) {
	runs := compareWithHost(t, "kernels/", flags)
	device, err := backend.Open("cpu", backend.Workers(1))
	require.NoError(t, err)
	defer func() { require.NoError(t, device.Close()) }()
	for _, name := range track.Generators() {
		generator, err := track.NewGenerator(device, tracktest.Small(tracktest.Config(name, envs)))
		require.NoError(t, err)
		_, err = generator.Generate(context.Background())
		require.NoError(t, err)
		require.NoError(t, generator.Close())
	}
	eight := track.Circuit{}
	for i := range 40 {
		sin, cos := math.Sincos(math.Pi * float64(i) / 20)
		eight.X, eight.Y = append(eight.X, 60*sin), append(eight.Y, 60*sin*cos)
	}
	tracks, err := track.Import(context.Background(), device, track.ImportOptions{HalfWidth: 3, Relax: true}, eight)
	require.NoError(t, err)
	require.NoError(t, tracks.Close())
	total := 0
	for name, count := range runs {
		t.Logf("%s ran %d times", name, *count)
		total += *count
	}
	require.Greater(t, total, 10)
}
