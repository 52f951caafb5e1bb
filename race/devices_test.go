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
	"github.com/trackgen-go/trackgen/race"
)

// CUDA with an emulated driver and, where there is a driver, Vulkan give the bits of the CPU in every way to run.
func TestDevicesGiveTheBitsOfTheCPU(t *testing.T) {
	const steps, fewer = 55, 18 // longer than an episode
	short := flying(func(c *race.Config) { c.Reward.Ends.MaxSteps = 12 })
	cars := hashesOf(t, coursetest.OpenCPU(t), lively(), steps)["calls"]
	drones := hashesOf(t, coursetest.OpenCPU(t), short, fewer)["calls"]
	t.Setenv("LP_NUM_THREADS", "0") // a software Vulkan driver computes on the thread of its queue
	check := func(t *testing.T, device backend.Device) {
		for way, hash := range hashesOf(t, device, lively(), steps) {
			assert.Equal(t, cars, hash, "cars, %s", way)
		}
		for way, hash := range hashesOf(t, device, short, fewer) {
			assert.Equal(t, drones, hash, "drones, %s", way)
		}
	}
	start := func(t *testing.T) coursetest.Emulator { return emulator.Start(t, 12080, 1) }
	kernels := []string{"borders", "centerline", "course", "courseline", "elevation", "flight", "gate", "inflation",
		"localise", "obstacle", "polyline", "preview", "progress", "pursuit", "race", "rangefinder", "relaxation",
		"resampling", "reward", "seeding", "selection", "spawn", "speed", "vehicle"}
	coursetest.OnDevicesBelow(t, "../kernels", start, kernels, check)
}
