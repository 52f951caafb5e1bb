//go:build cgo && linux

package sequences

import (
	"runtime"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/trackgen-go/trackgen/backend"
	_ "github.com/trackgen-go/trackgen/backend/cuda"
	"github.com/trackgen-go/trackgen/backend/cuda/emulator"
	_ "github.com/trackgen-go/trackgen/backend/vulkan"
	"github.com/trackgen-go/trackgen/internal/required"
)

var gpuKinds = []kind{
	{"cuda 12.3", abilities{ownGraphs: true, foreign: true}, emulated(12030, 0)},
	{"cuda 12.4", abilities{ownGraphs: true, foreign: true, conditionals: true, while: true}, emulated(12040, 0)},
	{"cuda 12.8", abilities{ownGraphs: true, foreign: true, conditionals: true, while: true}, emulated(12080, 0)},
	{"cuda 12.8 without loops", abilities{ownGraphs: true, foreign: true, conditionals: true},
		emulated(12080, emulator.BrokenWhileInIf)},
	{"cuda 13.0", abilities{ownGraphs: true, foreign: true, conditionals: true, while: true}, emulated(13000, 0)},
	{"vulkan", abilities{ownGraphs: true, conditionals: true, eagerConditionals: true}, func(tb testing.TB) *testbed {
		tb.Setenv("LP_NUM_THREADS", "0") // a software driver computes on this thread
		device, err := backend.Open("vulkan:0")
		if err != nil {
			required.Skip(tb, required.Vulkan, "there is no Vulkan: %v", err)
		}
		require.NoError(tb, err)
		return newTestbed(tb, device)
	}},
}

// emulated opens a device of the emulated driver, which gets some nodes wrong, and a foreigner that uses the driver
// directly.
func emulated(version int, broken emulator.Broken) func(tb testing.TB) *testbed {
	return func(tb testing.TB) *testbed {
		e := emulator.Start(tb, version, uint64(version))
		e.Break(broken, emulator.FailsByResult)
		e.LoadKernels(tb, "../../backend/backendtest/kernels/kernel_generated.cu")
		e.LoadKernels(tb, "../../kernels/seeding/kernel_generated.cu")
		runtime.LockOSThread() // the driver's context and its captures belong to a thread
		device, err := backend.Open("cuda:0")
		require.NoError(tb, err)
		b := newTestbed(tb, device)
		f, err := newForeigner(tb, e)
		require.NoError(tb, err)
		b.foreigner, b.complaint = f, e.Complaint
		b.after = runtime.UnlockOSThread
		return b
	}
}
