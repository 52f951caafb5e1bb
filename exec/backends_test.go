//go:build cgo && linux

package exec_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/trackgen-go/trackgen/backend"
	"github.com/trackgen-go/trackgen/backend/backendtest/kernels"
	_ "github.com/trackgen-go/trackgen/backend/cuda"
	"github.com/trackgen-go/trackgen/backend/cuda/emulator"
	_ "github.com/trackgen-go/trackgen/backend/vulkan"
	"github.com/trackgen-go/trackgen/exec"
	"github.com/trackgen-go/trackgen/internal/required"
)

// onBackends runs a test on each backend: the CPU, Vulkan on this machine's driver, and CUDA on the emulated driver.
func onBackends(t *testing.T, run func(t *testing.T, device backend.Device, e *emulator.Emulator)) {
	open := func(t *testing.T, name string, e *emulator.Emulator) {
		t.Helper()
		device, err := backend.Open(name)
		require.NoError(t, err)
		t.Cleanup(func() { require.NoError(t, device.Close()) })
		run(t, device, e)
	}
	t.Run("cpu", func(t *testing.T) { open(t, "cpu", nil) })
	for _, version := range []int{12030, 12040, 13000} {
		t.Run("cuda "+map[int]string{12030: "12.3", 12040: "12.4", 13000: "13.0"}[version], func(t *testing.T) {
			e := emulator.Start(t, version, uint64(version))
			e.LoadKernels(t, "../backend/backendtest/kernels/kernel_generated.cu")
			open(t, "cuda:0", e)
		})
	}
	t.Run("vulkan", func(t *testing.T) {
		t.Setenv("LP_NUM_THREADS", "0") // a software driver computes on this thread
		device, err := backend.Open("vulkan:0")
		if err != nil {
			required.Skip(t, required.Vulkan, "there is no Vulkan: %v", err)
		}
		require.NoError(t, err)
		t.Cleanup(func() { require.NoError(t, device.Close()) })
		run(t, device, nil)
	})
}

// increment adds one to each element.
func increment(lc *exec.LaunchContext, a exec.Array[int32]) {
	l := lc.Prepare(&kernels.IncrementDef, a.Len())
	exec.Bind(l, a)
	l.Launch()
}

// Every backend lowers conditionals and loops as its capabilities say, and they end when the flag says so.
func TestLoweringsOnBackends(t *testing.T) { // R29, R34-R36, R43, D2, D3, D9, D12, D14, D21
	onBackends(t, func(t *testing.T, device backend.Device, _ *emulator.Emulator) {
		caps := device.Caps()
		// The flag is minus the number of remaining iterations. Each iteration adds one to it and to runs.
		flag, runs, gate, taken := newArray(t, device, int32(0)), newArray(t, device, int32(0)),
			newArray(t, device, int32(0)), newArray(t, device, int32(0))
		iteration := func(lc *exec.LaunchContext, _ int) {
			increment(lc, flag)
			increment(lc, runs)
		}
		var conditional bool
		body := func(repeat bool) exec.Enqueue {
			return func(lc *exec.LaunchContext) {
				if repeat {
					exec.Repeat(lc, 6, flag, func(lc *exec.LaunchContext) { iteration(lc, 0) })
				} else {
					exec.BoundedLoop(lc, 6, iteration, exec.LoopOptions{Active: flag})
				}
				conditional = exec.SkipUnless(lc, gate, func(lc *exec.LaunchContext) { increment(lc, taken) })
			}
		}
		reset := func(left, open int32) {
			require.NoError(t, flag.Write(t.Context(), []int32{-left}))
			require.NoError(t, gate.Write(t.Context(), []int32{open}))
			require.NoError(t, runs.Write(t.Context(), []int32{0}))
			require.NoError(t, taken.Write(t.Context(), []int32{0}))
		}
		check := func(t *testing.T, left, open int32, early, conditional bool) {
			wantRuns, wantTaken := int32(6), int32(1)
			if early {
				wantRuns = left
			}
			if conditional {
				wantTaken = open
			}
			assert.Equal(t, wantRuns, read(t, runs)[0], "left %d", left)
			assert.Equal(t, wantTaken, read(t, taken)[0], "open %d", open)
		}
		for _, repeat := range []bool{false, true} {
			for _, ctx := range []struct {
				name          string
				ctx           context.Context
				poll          bool
				unconditional bool
			}{
				{"plain", t.Context(), false, false},
				{"AllowHostPoll", exec.AllowHostPoll(t.Context(), true), true, false},
				{"Unconditional", exec.Unconditional(t.Context(), true), false, true},
			} {
				for _, left := range []int32{0, 2, 6} {
					open := left / 2 % 2
					t.Run(ctx.name, func(t *testing.T) {
						reset(left, open)
						require.NoError(t, eager(t, ctx.ctx, device, body(repeat)))
						require.NoError(t, device.CurrentStream().Sync())
						assert.Equal(t, caps.EagerConditionals, conditional)
						check(t, left, open, caps.EagerConditionals || caps.CheapHostPoll || ctx.poll, caps.EagerConditionals)

						reset(left, open)
						graph := capture(t, device.DefaultStream(),
							func() { require.NoError(t, eager(t, ctx.ctx, device, body(repeat))) })
						onDevice := caps.CaptureConditionals && !ctx.unconditional
						assert.Equal(t, onDevice, conditional)
						require.NoError(t, device.DefaultStream().Replay(graph))
						require.NoError(t, device.DefaultStream().Sync())
						check(t, left, open, onDevice, onDevice)
					})
				}
			}
		}
	})
}

// On every backend a runner prepares, captures and replays, and a recording after prepare loads nothing.
func TestRunnerOnBackends(t *testing.T) { // R56, R61, R64, R81, R82, R71, C12
	onBackends(t, func(t *testing.T, device backend.Device, e *emulator.Emulator) {
		gains := device.Caps().OwnGraphs
		p := newProducer(t, device, exec.RunnerOptions{Capturable: true})
		body := func(lc *exec.LaunchContext) {
			p.bodies++
			increment(lc, p.counter)
		}
		require.NoError(t, p.Prepare(t.Context(), body))
		loads := 0
		if e != nil {
			loads = e.Calls("cuModuleLoadDataEx")
		}
		want := int32(1)
		for _, key := range []any{nil, nil, "k", "k"} {
			_, err := p.Run(t.Context(), body, exec.RunOptions{Key: key, Sync: true})
			require.NoError(t, err)
			want++
		}
		assert.Equal(t, []int32{want}, read(t, p.counter))
		if gains {
			assert.Equal(t, 3, p.bodies)
			assert.Equal(t, []any{nil, "k"}, p.GraphKeys())
		} else {
			assert.Equal(t, 5, p.bodies)
			assert.Empty(t, p.GraphKeys())
		}
		graph := capture(t, device.DefaultStream(), func() {
			_, err := p.Run(t.Context(), body, exec.RunOptions{Key: "k"})
			require.NoError(t, err)
		})
		for range 2 {
			require.NoError(t, device.DefaultStream().Replay(graph))
		}
		require.NoError(t, device.DefaultStream().Sync())
		assert.Equal(t, []int32{want + 2}, read(t, p.counter))
		if e != nil {
			assert.Equal(t, loads, e.Calls("cuModuleLoadDataEx"))
		}
	})
}

// A graph with conditionals can be replayed inside another capture: it is recorded again, operation by operation,
// because no driver accepts it as a child graph.
func TestGraphWithConditionalsInsideCapture(t *testing.T) { // R28, C6, D4
	onBackends(t, func(t *testing.T, device backend.Device, _ *emulator.Emulator) {
		if !device.Caps().CaptureConditionals {
			return // an older driver: TestLoweringsOnBackends
		}
		flag, value := newArray(t, device, int32(0)), newArray(t, device, int32(0))
		stream := device.DefaultStream()
		inner := capture(t, stream, func() {
			require.NoError(t, eager(t, t.Context(), device, func(lc *exec.LaunchContext) {
				assert.True(t, exec.SkipUnless(lc, flag, func(lc *exec.LaunchContext) { increment(lc, value) }))
			}))
		})
		outer := capture(t, stream, func() {
			require.NoError(t, stream.Replay(inner))
			require.NoError(t, stream.Replay(inner))
		})
		for _, set := range []int32{0, 1} {
			require.NoError(t, flag.Write(t.Context(), []int32{set}))
			require.NoError(t, stream.Replay(outer))
			require.NoError(t, stream.Sync())
			assert.Equal(t, 2*set, read(t, value)[0])
		}
	})
}

// On every backend, the HOST segments of a body run on the host and the others are replayed.
func TestSegmentsOnBackends(t *testing.T) { // R75, R83, R89, R91, R93
	onBackends(t, func(t *testing.T, device backend.Device, _ *emulator.Emulator) {
		p := newPipeline(t, device, exec.RunnerOptions{})
		p.segments[0].Body = func(lc *exec.LaunchContext) { increment(lc, p.number) }
		require.NoError(t, p.PrepareSegments(t.Context(), p.segments))
		for range 3 {
			p.run(t, exec.RunOptions{Sync: true})
		}
		assert.Equal(t, []int32{44}, read(t, p.result))
	})
}
