//go:build cgo && linux

package race_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/trackgen-go/trackgen/backend"
	_ "github.com/trackgen-go/trackgen/backend/cuda"
	"github.com/trackgen-go/trackgen/backend/cuda/emulator"
	_ "github.com/trackgen-go/trackgen/backend/vulkan"
	"github.com/trackgen-go/trackgen/internal/coursetest"
)

// CUDA with an emulated driver and, where there is a driver, Vulkan give the bits of the CPU in every way to run.
func TestDevicesGiveTheBitsOfTheCPU(t *testing.T) {
	const steps = 55 // longer than an episode
	want := hashesOf(t, coursetest.OpenCPU(t), lively(), steps)["calls"]
	t.Setenv("LP_NUM_THREADS", "0") // a software Vulkan driver computes on the thread of its queue
	check := func(t *testing.T, device backend.Device) {
		for way, hash := range hashesOf(t, device, lively(), steps) {
			assert.Equal(t, want, hash, way)
		}
	}
	start := func(t *testing.T) coursetest.Emulator { return emulator.Start(t, 12080, 1) }
	kernels := []string{"borders", "centerline", "course", "inflation", "localise", "obstacle", "polyline", "preview",
		"progress", "pursuit", "race", "rangefinder", "relaxation", "resampling", "reward", "seeding", "selection", "spawn",
		"speed",
		"vehicle"}
	coursetest.OnDevicesBelow(t, "../kernels", start, kernels, check)
}
