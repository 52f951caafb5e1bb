//go:build cgo && linux

package curriculum_test

import (
	"testing"

	"github.com/trackgen-go/trackgen/backend"
	_ "github.com/trackgen-go/trackgen/backend/cuda"
	"github.com/trackgen-go/trackgen/backend/cuda/emulator"
	_ "github.com/trackgen-go/trackgen/backend/vulkan"
	"github.com/trackgen-go/trackgen/internal/coursetest"
)

// CUDA with an emulated driver and, where there is a driver, Vulkan choose the tracks of the rule, whose labels a CPU
// worker has computed.
func TestDevicesChooseTheSame(t *testing.T) {
	kernels := []string{"centerline", "relaxation", "inflation", "elevation", "seeding", "selection", "raceline",
		"difficulty"}
	start := func(t *testing.T) coursetest.Emulator { return emulator.Start(t, 12080, 1) }
	coursetest.OnDevices(t, start, kernels, func(t *testing.T, device backend.Device) {
		checkChoices(t, device, "time_per_length", 4, 2, []float32{0.45, nan, inf, 0.6})
	})
}
