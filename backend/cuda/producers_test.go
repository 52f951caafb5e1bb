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
	"github.com/trackgen-go/trackgen/track"
)

// loadProducers gives the kernels of all producers to an emulated driver.
func loadProducers(t testing.TB, e *emulator.Emulator) {
	files, err := filepath.Glob("../../kernels/*/kernel_generated.cu")
	require.NoError(t, err)
	for _, file := range files {
		loadKernels(t, e, filepath.Dir(file))
	}
}

// Whole generations have the bits of the CPU: eager, replayed and masked, with conditionals and without.
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
					config := track.Config{Generator: generator, NumEnvs: gpuEnvs(t, 5)}
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
