//go:build cgo && linux

package cuda

import (
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/trackgen-go/trackgen/backend"
	_ "github.com/trackgen-go/trackgen/backend/cpu"
	"github.com/trackgen-go/trackgen/backend/cuda/emulator"
	"github.com/trackgen-go/trackgen/bench/parity"
	"github.com/trackgen-go/trackgen/exec/exectest"
	"github.com/trackgen-go/trackgen/pipeline"
	"github.com/trackgen-go/trackgen/track"
	"github.com/trackgen-go/trackgen/track/tracktest"
)

// loadProducers registers the kernels of all producers with an emulated driver.
func loadProducers(t testing.TB, e *emulator.Emulator) {
	files, err := filepath.Glob("../../kernels/*/kernel_generated.cu")
	require.NoError(t, err)
	for _, file := range files {
		loadKernels(t, e, filepath.Dir(file))
	}
}

// Whole generations give the same bits as on the CPU: eager, replayed and masked, with and without conditionals.
func TestProducers(t *testing.T) {
	reference, err := backend.Open("cpu")
	require.NoError(t, err)
	defer func() { require.NoError(t, reference.Close()) }()
	for _, version := range versions {
		t.Run(versionText(version), func(t *testing.T) {
			e := start(t, version, uint64(version))
			loadProducers(t, e)
			d := openTest(t)
			for _, generator := range track.Generators() {
				t.Run(generator, func(t *testing.T) {
					config := tracktest.Small(tracktest.Config(generator, gpuEnvs(t, 5)))
					comparisons, err := parity.Compare(t.Context(), []backend.Device{reference, d}, config, 3, parity.Modes(), nil)
					require.NoError(t, err)
					require.Len(t, comparisons, 2*len(parity.Modes()))
					for _, c := range comparisons {
						require.Nil(t, c.First, "%s on %s, %s: %v", generator, c.Device, c.Mode, c.First)
					}
				})
			}
		})
	}
}

// The stage of the repulsive generator, a bounded loop, passes every check of the conformance kit, and the device ends
// the loop early (R138, R163).
func TestRepulsiveStage(t *testing.T) {
	reference, err := backend.Open("cpu")
	require.NoError(t, err)
	defer func() { require.NoError(t, reference.Close()) }()
	e := start(t, versions[len(versions)-1], 7)
	loadProducers(t, e)
	d := openTest(t)
	require.True(t, d.Caps().CaptureConditionals)
	config := tracktest.Small(tracktest.Config(track.Repulsive, 3, func(c *track.Config) {
		c.Repulsive.StallAreaTolerance = 0.5
	}))
	stages, err := track.Stages(config)
	require.NoError(t, err)
	skip := map[string]string{}
	if addressSanitizer {
		skip["stage.no_alloc"] = "built for the address sanitizer, Go allocates in every launch"
	}
	exectest.CheckStage(t, stages[0], exectest.Config{Devices: []backend.Device{reference, d}, Envs: 3, Skip: skip})

	generator, err := track.NewGenerator(d, config)
	require.NoError(t, err)
	defer func() { require.NoError(t, generator.Close()) }()
	windows, err := pipeline.ArrayOf[int32](generator.Program(), track.WindowsOutput)
	require.NoError(t, err)
	all, err := windows.Read(t.Context())
	require.NoError(t, err)
	for range 2 { // the first call makes the generator's own graph
		_, err = generator.Generate(t.Context())
		require.NoError(t, err)
		require.NoError(t, d.DefaultStream().Sync())
		run, err := windows.Read(t.Context())
		require.NoError(t, err)
		require.Less(t, run[0], all[0], "the device skips windows once all curves have stopped")
	}
}
