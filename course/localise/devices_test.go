//go:build cgo && linux

package localise_test

import (
	"os"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/trackgen-go/trackgen/backend"
	_ "github.com/trackgen-go/trackgen/backend/cuda"
	"github.com/trackgen-go/trackgen/backend/cuda/emulator"
	_ "github.com/trackgen-go/trackgen/backend/vulkan"
)

// CUDA with an emulated driver and, where there is a driver, Vulkan give the bits of the CPU in every way to run.
func TestDevicesGiveTheBitsOfTheRules(t *testing.T) {
	t.Setenv("LP_NUM_THREADS", "0") // a software Vulkan driver computes on the thread of its queue
	for _, name := range []string{"cuda:0", "vulkan:0"} {
		t.Run(name, func(t *testing.T) {
			if name == "cuda:0" {
				e := emulator.Start(t, 12080, 1)
				for _, area := range []string{"centerline", "relaxation", "inflation", "elevation", "seeding", "selection",
					"localise", "polyline"} {
					e.LoadKernels(t, "../../kernels/"+area+"/kernel_generated.cu")
				}
			}
			device, err := backend.Open(name)
			if name == "vulkan:0" && err != nil && os.Getenv("TRACKGEN_REQUIRE_VULKAN") != "1" {
				t.Skipf("NOT TESTED, there is no Vulkan: %v", err)
			}
			require.NoError(t, err)
			t.Cleanup(func() { require.NoError(t, device.Close()) })
			checkRuns(t, device, 0)
			checkRuns(t, device, 2)
			checkPlace(t, device)
		})
	}
}
