package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"regexp"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/trackgen-go/trackgen/backend"
	"github.com/trackgen-go/trackgen/exec/exectest"
	"github.com/trackgen-go/trackgen/internal/required"
	"github.com/trackgen-go/trackgen/track"
	"github.com/trackgen-go/trackgen/track/tracktest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// small is a loop for tests, in which more episodes end per step than in a real one.
var small = settings{config: tracktest.Config(track.Bezier, 64), ends: 0.05}

const smallSteps = 30

// stepsOn makes the steps on an instrumented device and returns the hash. The guard checks that nothing waits for the
// device or allocates on it.
func stepsOn(t *testing.T, opened backend.Device, s settings) uint64 {
	t.Helper()
	ctx := t.Context()
	device := exectest.Instrument(opened)
	l, err := newLoop(ctx, device, s)
	require.NoError(t, err)
	defer func() { require.NoError(t, l.close()) }()
	guard, err := exectest.New(device, exectest.Options{}, exectest.HostSync, exectest.Allocation)
	require.NoError(t, err)
	require.NoError(t, guard.Do(ctx, func(ctx context.Context) error { return l.run(ctx, smallSteps) }), guard.Report())
	hash, err := l.hash(ctx)
	require.NoError(t, err)
	batch, err := l.generator.Track().Batch(ctx)
	require.NoError(t, err)
	ended := 0
	for _, epoch := range batch.Epoch {
		ended += int(epoch)
	}
	assert.InDelta(t, 64*smallSteps*0.05, ended, 45, "episodes that ended")
	return hash
}

// eachDevice runs a test on every device of this machine, and on the emulated CUDA device if it can be built.
func eachDevice(t *testing.T, test func(t *testing.T, device backend.Device)) {
	for _, driver := range backend.Devices() {
		for _, info := range driver.Devices {
			t.Run(info.Name, func(t *testing.T) {
				device, err := backend.Open(info.Name)
				require.NoError(t, err)
				defer func() { require.NoError(t, device.Close()) }()
				test(t, device)
			})
		}
	}
	t.Run("emulated cuda", func(t *testing.T) {
		device := openEmulated(t)
		defer func() { require.NoError(t, device.Close()) }()
		test(t, device)
	})
}

// Recorded and replayed, or emitted step by step, on every device: the bits are the same.
func TestSameBits(t *testing.T) {
	want := uint64(0)
	eachDevice(t, func(t *testing.T, device backend.Device) {
		for _, eager := range []bool{false, true} {
			s := small
			s.eager = eager
			hash := stepsOn(t, device, s)
			if want == 0 {
				want = hash
			}
			assert.Equal(t, fmt.Sprintf("%016x", want), fmt.Sprintf("%016x", hash), "eager: %v", eager)
		}
	})
}

// A replayed step allocates nothing on the Go heap, on any device.
func TestNoHeapAllocations(t *testing.T) {
	if raceEnabled {
		t.Skip("the race detector allocates")
	}
	eachDevice(t, func(t *testing.T, device backend.Device) {
		l, err := newLoop(t.Context(), device, small)
		require.NoError(t, err)
		defer func() { require.NoError(t, l.close()) }()
		assert.Zero(t, testing.AllocsPerRun(10, func() {
			if err := l.run(t.Context(), 3); err != nil {
				t.Fatal(err)
			}
			if err := l.stream.Sync(); err != nil {
				t.Fatal(err)
			}
		}))
	})
}

func TestCommand(t *testing.T) {
	ctx := t.Context()
	var out bytes.Buffer
	require.NoError(t, run(ctx, []string{"-devices", "cpu,cpu", "-envs", "8", "-steps", "5", "-ends", "0.5", "-generator",
		"polar"}, &out, nil))
	assert.Regexp(t, regexp.MustCompile(`^cpu: hash ([0-9a-f]{16}) after 5 steps of 8 envs; `+
		`\d+ steps/s, \d+ Go heap allocations in the loop\ncpu: hash`), out.String())
	for _, wrong := range [][]string{{"-steps", "0"}, {"-ends", "2"}, {"-ends", "NaN"}, {"-envs", "0x"},
		{"-devices", "abacus"}, {"-generator", "bezir"}, {"extra"}} {
		assert.Error(t, run(ctx, wrong, &out, nil), wrong)
	}
	stopped, stop := context.WithCancelCause(ctx)
	stop(errors.New("stopped"))
	assert.ErrorIs(t, run(stopped, []string{"-envs", "2", "-steps", "2"}, &out, nil), context.Canceled)
}

// Help is no error. An error does not print the flags.
func TestHelp(t *testing.T) {
	var out bytes.Buffer
	require.NoError(t, run(t.Context(), []string{"-h"}, &out, nil))
	assert.Contains(t, out.String(), "Trainloop makes the steps of a training loop")
	assert.Contains(t, out.String(), "-steps int")
	out.Reset()
	assert.EqualError(t, run(t.Context(), []string{"-step", "3"}, &out, nil),
		"flag provided but not defined: -step (-h lists the flags)")
	assert.Empty(t, out.String())
}

// Who watches sees steps from the first on, and the bits are the same.
func TestProgress(t *testing.T) {
	var out, watched, screen bytes.Buffer
	arguments := []string{"-envs", "4", "-steps", "401"}
	require.NoError(t, run(t.Context(), arguments, &out, nil))
	require.NoError(t, run(t.Context(), arguments, &watched, &screen))
	hash := regexp.MustCompile(`hash [0-9a-f]{16} after 401 steps of 4 envs`)
	assert.Equal(t, hash.FindString(out.String()), hash.FindString(watched.String()))
	assert.NotEmpty(t, hash.FindString(out.String()))
	assert.Regexp(t, `cpu +0% .*\(0/401`, screen.String())
	assert.Contains(t, screen.String(), "(401/401")

	l, err := newLoop(t.Context(), openCPU(t), settings{config: tracktest.Config(track.Bezier, 2)})
	require.NoError(t, err)
	defer func() { require.NoError(t, l.close()) }()
	var seen []int
	_, err = l.measure(t.Context(), 405, func(steps int) { seen = append(seen, steps) })
	require.NoError(t, err)
	require.Len(t, seen, 203) // parts of two steps, and one step
	assert.Equal(t, []int{2, 4}, seen[:2])
	assert.Equal(t, []int{404, 405}, seen[201:])
}

func openCPU(t *testing.T) backend.Device {
	t.Helper()
	device, err := backend.Open("cpu")
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, device.Close()) })
	return device
}

// If a Vulkan driver is required, the tests above have run on it.
func TestVulkanIsThere(t *testing.T) {
	if !required.On(required.Vulkan) {
		t.Skip(required.Vulkan + " is not 1")
	}
	device, err := backend.Open("vulkan:0")
	require.NoError(t, err)
	require.NoError(t, device.Close())
}
