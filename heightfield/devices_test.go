//go:build cgo && linux

package heightfield_test

import (
	"context"
	"fmt"
	"math"
	"os"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/trackgen-go/trackgen/backend"
	_ "github.com/trackgen-go/trackgen/backend/cuda"
	"github.com/trackgen-go/trackgen/backend/cuda/emulator"
	_ "github.com/trackgen-go/trackgen/backend/vulkan"
	"github.com/trackgen-go/trackgen/heightfield"
	"github.com/trackgen-go/trackgen/kernel"
)

// CUDA with an emulated driver and, where there is a driver, Vulkan give the bits of the CPU in every way to run.
func TestDevicesGiveTheBitsOfTheCPU(t *testing.T) {
	t.Setenv("LP_NUM_THREADS", "0") // a software Vulkan driver computes on the thread of its queue
	for _, name := range []string{"cuda:0", "vulkan:0"} {
		t.Run(name, func(t *testing.T) {
			if name == "cuda:0" {
				e := emulator.Start(t, 12080, 1)
				for _, area := range []string{"centerline", "relaxation", "inflation", "elevation", "heightfield", "seeding",
					"selection"} {
					e.LoadKernels(t, "../kernels/"+area+"/kernel_generated.cu")
				}
			}
			device, err := backend.Open(name)
			if name == "vulkan:0" && err != nil && os.Getenv("TRACKGEN_REQUIRE_VULKAN") != "1" {
				t.Skipf("NOT TESTED, there is no Vulkan: %v", err)
			}
			require.NoError(t, err)
			t.Cleanup(func() { require.NoError(t, device.Close()) })
			checkLimit(t, device)
			for _, c := range modes() {
				t.Run(fmt.Sprintf("%s %d", c.Blend.Mode, c.Resolution), func(t *testing.T) { checkRuns(t, device, c) })
			}
		})
	}
}

// checkLimit checks that tracks with too many points for the loops of a device are refused before anything is baked.
func checkLimit(t *testing.T, device backend.Device) {
	t.Helper()
	if device.Caps().LoopIterations == 0 {
		t.Log("NOT TESTED, the device has no limit of loops")
		return
	}
	circle := make([]kernel.Vec3, 12_000)
	for i := range circle {
		angle := 2 * math.Pi * float64(i) / float64(len(circle))
		circle[i] = kernel.V3(float32(math.Cos(angle)), float32(math.Sin(angle)), 0)
	}
	for n, accepted := range map[int]bool{6000: true, 12_000: false} {
		_, err := heightfield.Bake(context.Background(), device, batchOf(0.1, circle[:n]), configOf(8, heightfield.Smooth))
		if accepted {
			require.NoError(t, err, "%d points", n)
		} else {
			require.ErrorIs(t, err, backend.ErrUnsupported, "%d points", n)
		}
	}
}
