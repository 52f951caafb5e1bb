//go:build cgo && linux

package main

import (
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/trackgen-go/trackgen/backend"
	"github.com/trackgen-go/trackgen/backend/cuda/emulator"
	"github.com/trackgen-go/trackgen/examples/trainloop/simulation"
	"github.com/trackgen-go/trackgen/kernel"
	"github.com/trackgen-go/trackgen/kernels/centerline"
	"github.com/trackgen-go/trackgen/kernels/inflation"
	"github.com/trackgen-go/trackgen/kernels/relaxation"
	"github.com/trackgen-go/trackgen/kernels/seeding"
	"github.com/trackgen-go/trackgen/kernels/selection"
)

// openEmulated opens a CUDA device on the emulated driver, with all kernels of the loop.
func openEmulated(t *testing.T) backend.Device {
	t.Helper()
	e := emulator.Start(t, 12080, 1)
	kernels := filepath.Join("..", "..", "kernels")
	for directory, defs := range map[string][]*kernel.Def{
		filepath.Join(kernels, "centerline"): centerline.Defs,
		filepath.Join(kernels, "inflation"):  inflation.Defs,
		filepath.Join(kernels, "relaxation"): relaxation.Defs,
		filepath.Join(kernels, "seeding"):    seeding.Defs,
		filepath.Join(kernels, "selection"):  selection.Defs,
		"simulation":                         simulation.Defs,
	} {
		var entries []string
		for _, def := range defs {
			entries = append(entries, def.Entry)
		}
		e.LoadKernels(t, filepath.Join(directory, "kernel_generated.cu"), entries...)
	}
	device, err := backend.Open("cuda:0")
	require.NoError(t, err)
	return device
}
