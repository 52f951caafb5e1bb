//go:build cgo && linux

package gate_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/trackgen-go/trackgen/backend"
	_ "github.com/trackgen-go/trackgen/backend/cuda"
	"github.com/trackgen-go/trackgen/backend/cuda/emulator"
	_ "github.com/trackgen-go/trackgen/backend/vulkan"
	"github.com/trackgen-go/trackgen/gate"
	"github.com/trackgen-go/trackgen/generation"
	"github.com/trackgen-go/trackgen/internal/required"
)

// CUDA with an emulated driver and, where there is a driver, Vulkan give the bits of the CPU in every way to run.
func TestDevicesGiveTheBitsOfTheCPU(t *testing.T) {
	t.Setenv("LP_NUM_THREADS", "0") // a software Vulkan driver computes on the thread of its queue
	for _, name := range []string{"cuda:0", "vulkan:0"} {
		t.Run(name, func(t *testing.T) {
			if name == "cuda:0" {
				e := emulator.Start(t, 12080, 1)
				for _, area := range []string{"gate", "repulsive", "voronoi", "seeding", "selection"} {
					e.LoadKernels(t, "../kernels/"+area+"/kernel_generated.cu")
				}
			}
			device, err := backend.Open(name)
			if name == "vulkan:0" && err != nil {
				required.Skip(t, required.Vulkan, "there is no Vulkan: %v", err)
			}
			require.NoError(t, err)
			t.Cleanup(func() { require.NoError(t, device.Close()) })
			if name == "vulkan:0" {
				checkLimit(t, device)
			}
			for name, c := range configurations() {
				t.Run(name, func(t *testing.T) { checkRuns(t, device, c) })
			}
			t.Run("along", func(t *testing.T) { checkUploadedTracks(t, device) })
		})
	}
}

// checkLimit checks that more sweeps than a device can run are refused, with the number that it can run.
func checkLimit(t *testing.T, device backend.Device) {
	t.Helper()
	if device.Caps().LoopIterations == 0 {
		t.Log("NOT TESTED, the device has no limit of loops")
		return
	}
	c := configOf(gate.Bezier, 1, func(c *gate.Config) { c.Gate.SeparationSweeps = 10_000 })
	err := c.CheckDevice(device)
	var wrong *gate.ConfigError
	require.ErrorAs(t, err, &wrong)
	require.ErrorIs(t, err, backend.ErrUnsupported)
	require.Equal(t, "gate.separation_sweeps", wrong.Field)
	var most int
	_, scanErr := fmt.Sscanf(wrong.Allowed, "at most %d on", &most)
	require.NoError(t, scanErr, wrong.Allowed)
	c.Gate.SeparationSweeps = most
	require.NoError(t, c.CheckDevice(device))
	c.Gate.SeparationSweeps = most + 1
	require.Error(t, c.CheckDevice(device))
	c.Corners.MaxCount, c.Output.MaxGates = 512, 512
	var loops *generation.LoopsError
	require.ErrorAs(t, c.CheckDevice(device), &loops)
}
