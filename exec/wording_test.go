//go:build cgo && linux

package exec_test

import (
	"context"
	"errors"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/trackgen-go/trackgen/backend"
	"github.com/trackgen-go/trackgen/backend/backendtest/kernels"
	"github.com/trackgen-go/trackgen/backend/cuda/emulator"
	"github.com/trackgen-go/trackgen/exec"
	"github.com/trackgen-go/trackgen/internal/wording"
)

// requireWording checks that an error says each thing once.
func requireWording(t *testing.T, err error) {
	t.Helper()
	require.Error(t, err)
	t.Log(err)
	assert.Empty(t, wording.Fault(err.Error()), err.Error())
}

// failingBodies are bodies that fail in the typical ways of producers.
func failingBodies(t *testing.T, device backend.Device, open, shut exec.Array[int32]) map[string]exec.Enqueue {
	nothing := func(*exec.LaunchContext) {}
	return map[string]exec.Enqueue{
		"launch with a closed array": func(lc *exec.LaunchContext) { increment(lc, shut) },
		"launch with a zero array":   func(lc *exec.LaunchContext) { increment(lc, exec.Array[int32]{}) },
		"launch without arguments":   func(lc *exec.LaunchContext) { lc.Prepare(&kernels.IncrementDef, 1).Launch() },
		"launch that fails in the backend": func(lc *exec.LaunchContext) {
			def := kernels.IncrementDef
			def.Go, def.Twin, def.Shader, def.Module = nil, nil, nil, nil
			l := lc.Prepare(&def, 1)
			exec.Bind(l, open)
			l.Launch()
		},
		"copy":        func(lc *exec.LaunchContext) { exec.Copy(lc, open, shut) },
		"fill":        func(lc *exec.LaunchContext) { exec.Fill(lc, shut, 1) },
		"skip unless": func(lc *exec.LaunchContext) { exec.SkipUnless(lc, shut, nothing) },
		"body": func(lc *exec.LaunchContext) {
			exec.SkipUnless(lc.Unconditional(), open, func(lc *exec.LaunchContext) { increment(lc, shut) })
		},
		"bounded loop": func(lc *exec.LaunchContext) {
			exec.BoundedLoop(lc, 3, func(lc *exec.LaunchContext, _ int) {}, exec.LoopOptions{Active: shut})
		},
		"repeat": func(lc *exec.LaunchContext) { exec.Repeat(lc, -1, open, nothing) },
		"host operations": func(lc *exec.LaunchContext) {
			_, err := lc.Host()
			lc.Fail(err)
		},
		"legacy producer": exec.LegacyProducer{Name: "old", Generate: func(context.Context, backend.Device) error {
			return errors.New("no")
		}}.Enqueue(),
		"another producer": func(lc *exec.LaunchContext) {
			inner, err := exec.NewGraphRunner(device, exec.RunnerOptions{Capturable: true, Name: "inner"})
			require.NoError(t, err)
			fill := func(lc *exec.LaunchContext) { exec.Fill(lc, shut, 1) }
			_, err = inner.Run(exec.With(t.Context(), lc), fill, exec.RunOptions{})
			lc.Fail(err)
			require.NoError(t, inner.Close())
		},
	}
}

// On every backend, an error in a stage names the producer, the stage and the operation once each.
func TestWordingOfStages(t *testing.T) {
	onBackends(t, func(t *testing.T, device backend.Device, _ *emulator.Emulator) {
		open, shut := newArray(t, device, int32(0)), newArray(t, device, int32(0))
		require.NoError(t, shut.Close())
		slot := newSlot(t, device, "mine", exec.Bounded)
		for name, body := range failingBodies(t, device, open, shut) {
			t.Run(name, func(t *testing.T) {
				staged := func(lc *exec.LaunchContext) { slot.Run(lc, body) }
				segments := []exec.Segment{{StageID: "mine", Body: staged}}
				p := newProducer(t, device, exec.RunnerOptions{Name: "p", Legacy: true})
				_, segmented := p.RunSegments(t.Context(), segments, exec.RunOptions{})
				_, run := p.Run(t.Context(), staged, exec.RunOptions{})
				for _, err := range []error{p.Prepare(t.Context(), staged), run, segmented} {
					requireWording(t, err)
					var at *exec.WorkError
					require.ErrorAs(t, err, &at)
					assert.Equal(t, [2]string{"p", "mine"}, [2]string{at.Producer, at.Stage})
				}
			})
		}
	})
}

// An error of a runner names the producer once.
func TestWordingOfRunners(t *testing.T) {
	onBackends(t, func(t *testing.T, device backend.Device, _ *emulator.Emulator) {
		p := newProducer(t, device, exec.RunnerOptions{Name: "p", StageIDs: []string{"mine"}})
		fill := func(lc *exec.LaunchContext) { exec.Fill(lc, p.counter, 1) }
		run := func(ctx context.Context, body exec.Enqueue, options exec.RunOptions) error {
			_, err := p.Run(ctx, body, options)
			return err
		}
		cancelled, cancel := context.WithCancel(t.Context())
		cancel()
		requireWording(t, run(nil, fill, exec.RunOptions{}))
		requireWording(t, run(t.Context(), nil, exec.RunOptions{}))
		requireWording(t, run(cancelled, fill, exec.RunOptions{}))
		requireWording(t, run(t.Context(), fill, exec.RunOptions{Policy: 9}))
		requireWording(t, run(t.Context(), fill, exec.RunOptions{Key: []int{1}}))
		within := func(lc *exec.LaunchContext) { lc.Fail(run(t.Context(), fill, exec.RunOptions{})) }
		requireWording(t, run(t.Context(), within, exec.RunOptions{}))

		stream := device.CurrentStream()
		require.NoError(t, stream.BeginCapture())
		requireWording(t, run(t.Context(), fill, exec.RunOptions{}))
		requireWording(t, p.Prepare(t.Context(), fill))
		_, err := p.EnsureNotCapturing(t.Context())
		requireWording(t, err)
		requireWording(t, p.counter.Write(t.Context(), []int32{1}))
		requireWording(t, stream.Sync())
		requireWording(t, stream.BeginCapture())
		graph, err := stream.EndCapture()
		require.NoError(t, err)
		require.NoError(t, graph.Close())

		_, err = p.EnsureNotCapturing(nil) //nolint:staticcheck // a nil context is what is tested
		requireWording(t, err)
		assert.ErrorContains(t, err, `producer "p"`)
		require.NoError(t, p.Close())
		requireWording(t, run(t.Context(), fill, exec.RunOptions{}))
		requireWording(t, p.Prepare(t.Context(), fill))
	})
}

// Errors of arrays, streams and devices name the operation once.
func TestWordingOfDevices(t *testing.T) {
	onBackends(t, func(t *testing.T, device backend.Device, _ *emulator.Emulator) {
		open, shut := newArray(t, device, int32(0)), newArray(t, device, int32(0))
		require.NoError(t, shut.Close())
		_, read := shut.Read(t.Context())
		_, slice := open.Slice(0, 2)
		_, negative := exec.NewArray[int32](device, -1)
		stream, err := device.NewStream()
		require.NoError(t, err)
		require.NoError(t, stream.Close())
		_, on := exec.For(t.Context(), device, exec.Block(-1))
		lc, err := exec.For(t.Context(), device, exec.OnStream(stream))
		require.NoError(t, err)
		increment(lc, open)
		current := device.CurrentStream()
		for _, err := range []error{
			read, slice, negative, on, lc.Err(), shut.Write(t.Context(), []int32{1}), open.Write(t.Context(), nil),
			stream.Sync(), stream.BeginCapture(),
			current.Launch(&kernels.IncrementDef, backend.Launch{N: 1}), current.Launch(nil, backend.Launch{}),
			current.Copy(open.View(), shut.View()), current.Fill(shut.View(), 1), current.Record(nil), current.Replay(nil),
		} {
			requireWording(t, err)
		}
	})
}
