//go:build cgo && linux

package course_test

import (
	"maps"
	"os"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/trackgen-go/trackgen/backend"
	_ "github.com/trackgen-go/trackgen/backend/cuda"
	"github.com/trackgen-go/trackgen/backend/cuda/emulator"
	_ "github.com/trackgen-go/trackgen/backend/vulkan"
)

// deviceIterations is the length of training loops on emulated and software devices.
const deviceIterations = 12

// CUDA with an emulated driver and, where there is a driver, Vulkan give the bits of the CPU in every way to run a
// training loop.
func TestDevicesGiveTheBitsOfTheCPU(t *testing.T) {
	t.Setenv("LP_NUM_THREADS", "0") // a software Vulkan driver computes on the thread of its queue
	want := map[string][][]uint64{}
	configs := crowdConfigs()
	maps.Copy(configs, loopConfigs())
	for name, c := range configs {
		want[name], _ = eager(t, 1, c, deviceIterations)
	}
	for _, name := range []string{"cuda:0", "vulkan:0"} {
		t.Run(name, func(t *testing.T) {
			if name == "cuda:0" {
				e := emulator.Start(t, 12080, 1)
				for _, area := range []string{"borders", "centerline", "checkpoint", "course", "courseline", "distancefield",
					"elevation", "gate", "heightfield", "inflation", "localise", "obstacle", "polyline", "progress", "relaxation",
					"resampling", "seeding", "selection"} {
					e.LoadKernels(t, "../kernels/"+area+"/kernel_generated.cu")
				}
				e.LoadKernels(t, "internal/driving/kernel_generated.cu")
			}
			device, err := backend.Open(name)
			if name == "vulkan:0" && err != nil && os.Getenv("TRACKGEN_REQUIRE_VULKAN") != "1" {
				t.Skipf("NOT TESTED, there is no Vulkan: %v", err)
			}
			require.NoError(t, err)
			t.Cleanup(func() { require.NoError(t, device.Close()) })
			for config, c := range configs {
				t.Run(config, func(t *testing.T) { checkLoops(t, device, c, want[config]) })
			}
		})
	}
}
