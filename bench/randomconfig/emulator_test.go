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

// The kernels of CUDA make the same tracks from random settings, with an emulated driver.
func TestRandomSettingsOnTheEmulator(t *testing.T) {
	e := emulator.Start(t, 12080, 1)
	files, err := filepath.Glob("../../kernels/*/kernel_generated.cu")
	require.NoError(t, err)
	require.NotEmpty(t, files)
	for _, file := range files {
		e.LoadKernels(t, file)
	}
	var devices []backend.Device
	for _, name := range []string{"cpu", "cuda:0"} {
		device, err := backend.Open(name)
		require.NoError(t, err)
		t.Cleanup(func() { require.NoError(t, device.Close()) })
		devices = append(devices, device)
	}
	search(t, devices, 4, 0, 2e7, upTo(t, 25))
	assert.Positive(t, searchCircuits(t, devices, 3, 0, upTo(t, 10)))
}
