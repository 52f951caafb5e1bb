//go:build cgo && linux

package exectest_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/trackgen-go/trackgen/backend"
	"github.com/trackgen-go/trackgen/backend/backendtest/kernels"
	_ "github.com/trackgen-go/trackgen/backend/cuda"
	"github.com/trackgen-go/trackgen/backend/cuda/emulator"
	_ "github.com/trackgen-go/trackgen/backend/vulkan"
	"github.com/trackgen-go/trackgen/exec"
	"github.com/trackgen-go/trackgen/exec/exectest"
	"github.com/trackgen-go/trackgen/internal/required"
)

// allBackends opens the CPU, CUDA on the emulated driver, and Vulkan if there is a driver.
func allBackends(t *testing.T) []backend.Device {
	t.Setenv("LP_NUM_THREADS", "0") // a software Vulkan driver then computes on its queue's thread
	e := emulator.Start(t, 12040, 1)
	e.LoadKernels(t, "../../backend/backendtest/kernels/kernel_generated.cu")
	var devices []backend.Device
	for _, name := range []string{"cpu", "cuda:0", "vulkan:0"} {
		device, err := backend.Open(name)
		if name == "vulkan:0" && err != nil && !required.On(required.Vulkan) {
			t.Logf("NOT TESTED on Vulkan, there is none: %v", err)
			continue
		}
		require.NoError(t, err)
		t.Cleanup(func() { require.NoError(t, device.Close()) })
		require.NoError(t, device.Load(kernels.Defs...))
		devices = append(devices, device)
	}
	return devices
}

// increment adds one to each element with a kernel that all backends have.
func increment(lc *exec.LaunchContext, a exec.Array[int32]) {
	l := lc.Prepare(&kernels.IncrementDef, a.Len())
	exec.Bind(l, a)
	l.Launch()
}

// Stages of each class keep their contract on every backend and give the same bits on all.
func TestStagesOnBackends(t *testing.T) { // R138-R143, R75
	stages := map[string]exec.Stage{
		"static": with(exec.Static, func(b exec.Builder, a allocated) exec.Enqueue {
			return func(lc *exec.LaunchContext) {
				exec.Copy(lc, a.out, b.Seed())
				increment(lc, a.out)
				exec.Copy(lc, a.other, a.out)
			}
		}),
		"bounded": with(exec.Bounded, func(b exec.Builder, a allocated) exec.Enqueue {
			settle := func(lc *exec.LaunchContext, _ int) { // absorbing: a second iteration changes nothing
				exec.Copy(lc, a.other, a.out)
				increment(lc, a.other)
				exec.Fill(lc, a.flag, 0)
			}
			skipped := func(lc *exec.LaunchContext) { exec.Fill(lc, a.word, 0) }
			return func(lc *exec.LaunchContext) {
				exec.Copy(lc, a.out, b.Seed())
				exec.Fill(lc, a.word, 0)
				exec.Fill(lc, a.flag, 1)
				exec.BoundedLoop(lc, 5, settle, exec.LoopOptions{Active: a.flag})
				exec.SkipUnless(lc, a.word, skipped)
			}
		}),
		"host": with(exec.Host, func(b exec.Builder, a allocated) exec.Enqueue {
			return func(lc *exec.LaunchContext) {
				exec.Copy(lc, a.out, b.Seed())
				increment(lc, a.out)
				h, err := lc.Host()
				lc.Fail(err)
				values, err := exec.Readback(h, a.out, a.via)
				lc.Fail(err)
				lc.Fail(exec.Upload(h, a.other, values, a.via))
			}
		}),
	}
	devices := allBackends(t)
	for name, s := range stages {
		t.Run(name, func(t *testing.T) { exectest.CheckStage(t, s, exectest.Config{Devices: devices}) })
	}
}
