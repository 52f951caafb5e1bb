//go:build cgo && linux

package main

import (
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/trackgen-go/trackgen/backend"
	"github.com/trackgen-go/trackgen/backend/cuda/emulator"
)

// openEmulated opens a CUDA device on the emulated driver, with all kernels of the loop.
func openEmulated(t *testing.T) backend.Device {
	t.Helper()
	e := emulator.Start(t, 12080, 1)
	kernels := filepath.Join("..", "..", "kernels")
	for _, directory := range []string{
		filepath.Join(kernels, "centerline"), filepath.Join(kernels, "inflation"), filepath.Join(kernels, "relaxation"),
		filepath.Join(kernels, "seeding"), filepath.Join(kernels, "selection"), "simulation",
	} {
		e.LoadKernels(t, filepath.Join(directory, "kernel_generated.cu"))
	}
	device, err := backend.Open("cuda:0")
	require.NoError(t, err)
	return device
}
