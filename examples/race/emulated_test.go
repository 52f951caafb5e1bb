//go:build cgo && linux

package main

import (
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/trackgen-go/trackgen/backend"
	"github.com/trackgen-go/trackgen/backend/cuda/emulator"
)

// openEmulated opens a CUDA device on the emulated driver, with all kernels of the race.
func openEmulated(t *testing.T) backend.Device {
	t.Helper()
	e := emulator.Start(t, 12080, 1)
	for _, area := range []string{"borders", "centerline", "course", "inflation", "localise", "polyline", "progress",
		"pursuit", "race", "relaxation", "resampling", "reward", "seeding", "selection", "spawn", "speed", "vehicle"} {
		e.LoadKernels(t, filepath.Join("..", "..", "kernels", area, "kernel_generated.cu"))
	}
	device, err := backend.Open("cuda:0")
	require.NoError(t, err)
	return device
}
