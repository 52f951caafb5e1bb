//go:build cgo && linux

package checkpoints_test

import (
	"testing"

	"github.com/trackgen-go/trackgen/backend"
	_ "github.com/trackgen-go/trackgen/backend/cuda"
	"github.com/trackgen-go/trackgen/backend/cuda/emulator"
	_ "github.com/trackgen-go/trackgen/backend/vulkan"
	"github.com/trackgen-go/trackgen/internal/coursetest"
)

// CUDA with an emulated driver and, where there is a driver, Vulkan give the bits of the CPU in every way to run.
func TestDevicesGiveTheBitsOfTheCPU(t *testing.T) {
	kernels := []string{"resampling", "selection"}
	start := func(t *testing.T) coursetest.Emulator { return emulator.Start(t, 12080, 1) }
	coursetest.OnDevices(t, start, kernels, func(t *testing.T, device backend.Device) {
		checkRuns(t, device)
	})
	coursetest.OnSwiftShader(t)
}
