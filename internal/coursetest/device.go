package coursetest

import (
	"os"
	"testing"

	"github.com/trackgen-go/trackgen/backend"
)

// OpenCPU opens the CPU backend until the end of the test. The test imports the backend, as library packages must not.
func OpenCPU(tb testing.TB, options ...backend.Option) backend.Device {
	tb.Helper()
	return open(tb, "cpu", options...)
}

// Emulator is an emulated driver of CUDA.
type Emulator interface {
	LoadKernels(tb testing.TB, path string)
}

// OnDevices runs check on CUDA, with an emulated driver that runs the packages of kernels, and on Vulkan. The test
// imports the backends. Where there is no driver of Vulkan, that part is skipped, unless TRACKGEN_REQUIRE_VULKAN is 1.
// With the tag slow it also runs check on SwiftShader.
func OnDevices(t *testing.T, start func(t *testing.T) Emulator, kernels []string,
	check func(t *testing.T, device backend.Device)) {
	t.Helper()
	OnDevicesBelow(t, "../../kernels", start, kernels, check)
}

// OnDevicesBelow is OnDevices for a test to whose folder the packages of kernels have another path.
func OnDevicesBelow(t *testing.T, folder string, start func(t *testing.T) Emulator, kernels []string,
	check func(t *testing.T, device backend.Device)) {
	t.Helper()
	t.Setenv("LP_NUM_THREADS", "0") // a software Vulkan driver computes on the thread of its queue
	t.Run("cuda:0", func(t *testing.T) {
		emulator := start(t)
		for _, area := range kernels {
			emulator.LoadKernels(t, folder+"/"+area+"/kernel_generated.cu")
		}
		check(t, open(t, "cuda:0"))
	})
	t.Run("vulkan:0", func(t *testing.T) {
		if os.Getenv("TRACKGEN_REQUIRE_VULKAN") != "1" {
			device, err := backend.Open("vulkan:0")
			if err != nil {
				t.Skipf("NOT TESTED, there is no Vulkan: %v", err)
			}
			if err := device.Close(); err != nil {
				t.Fatal(err)
			}
		}
		check(t, open(t, "vulkan:0"))
	})
	if allOnSwiftShader {
		onSwiftShader(t)
	}
}

// open opens a device until the end of the test.
func open(tb testing.TB, name string, options ...backend.Option) backend.Device {
	tb.Helper()
	device, err := backend.Open(name, options...)
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() {
		if err := device.Close(); err != nil {
			tb.Error(err)
		}
	})
	return device
}
