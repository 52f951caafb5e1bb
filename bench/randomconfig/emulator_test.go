//go:build cgo && linux

package randomconfig

import (
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/trackgen-go/trackgen/backend"
	"github.com/trackgen-go/trackgen/backend/cuda/emulator"
)

// The kernels of CUDA make the same tracks from random settings, with an emulated driver: their CUDA C, compiled for
// the host, and their PTX, interpreted.
func TestRandomSettingsOnTheEmulator(t *testing.T) {
	files, err := filepath.Glob("../../kernels/*/kernel_generated.cu")
	require.NoError(t, err)
	require.NotEmpty(t, files)
	for i, mode := range []string{"host", "ptx"} {
		t.Run(mode, func(t *testing.T) {
			t.Setenv(emulator.ModeVariable, mode)
			e := emulator.Start(t, 12080, 1)
			require.Equal(t, mode == "ptx", e.Interprets())
			for _, file := range files {
				e.LoadKernels(t, file)
			}
			devices := []backend.Device{openTest(t, "cpu"), openTest(t, "cuda:0")}
			most := []float64{2e7, 3e6}[i]
			settings, runs := search(t, devices, uint64(4+i), 0, most, upTo(t, 20))
			assert.Equal(t, 2*settings, runs)
			assert.Positive(t, searchCircuits(t, devices, uint64(4+i), 0, upTo(t, 8)))
			require.Empty(t, e.Complaint())
		})
	}
}
