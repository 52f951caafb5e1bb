//go:build cgo && linux

package exec_test

import (
	"context"
	"errors"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/trackgen-go/trackgen/backend"
	"github.com/trackgen-go/trackgen/backend/cuda/emulator"
	"github.com/trackgen-go/trackgen/exec"
)

// A graph keeps its arrays: on every backend, replays stay correct after Close of an array and of the runner whose work
// was recorded.
func TestReplayAfterClose(t *testing.T) { // R166, R65
	onBackends(t, func(t *testing.T, device backend.Device, _ *emulator.Emulator) {
		scratch, result := newArray(t, device, int32(0)), newArray(t, device, int32(0))
		flag := newArray(t, device, int32(1))
		runner, err := exec.NewGraphRunner(device, exec.RunnerOptions{Capturable: true})
		require.NoError(t, err)
		stream := device.DefaultStream()
		graph := capture(t, stream, func() {
			_, err := runner.Run(t.Context(), func(lc *exec.LaunchContext) {
				exec.SkipUnless(lc, flag, func(lc *exec.LaunchContext) { increment(lc, scratch) })
				exec.Copy(lc, result, scratch)
			}, exec.RunOptions{})
			require.NoError(t, err)
		})
		require.NoError(t, runner.Close())
		require.NoError(t, scratch.Close())
		require.NoError(t, flag.Close())
		other := newArray(t, device, int32(100)) // gets their memory if it is free
		for want := range int32(3) {
			require.NoError(t, stream.Replay(graph))
			assert.Equal(t, []int32{want + 1}, read(t, result))
		}
		assert.Equal(t, []int32{100}, read(t, other))
		_, err = scratch.Read(t.Context())
		require.ErrorIs(t, err, exec.ErrClosed)
	})
}

// A run is new work for its caller. With a closed array every device refuses it, even if it would replay the runner's
// graph. The graph itself stays valid.
func TestRunWithAClosedArray(t *testing.T) { // R166, R64, R75
	host := exec.Segment{Class: exec.Host, StageID: "host", Body: func(*exec.LaunchContext) {}}
	for name, use := range map[string]func(lc *exec.LaunchContext, closed, result exec.Array[int32]){
		"launch":  func(lc *exec.LaunchContext, closed, _ exec.Array[int32]) { increment(lc, closed) },
		"copy":    func(lc *exec.LaunchContext, closed, result exec.Array[int32]) { exec.Copy(lc, result, closed) },
		"copy to": func(lc *exec.LaunchContext, closed, result exec.Array[int32]) { exec.Copy(lc, closed, result) },
		"fill":    func(lc *exec.LaunchContext, closed, _ exec.Array[int32]) { exec.Fill(lc, closed, 1) },
		"flag": func(lc *exec.LaunchContext, closed, result exec.Array[int32]) {
			exec.SkipUnless(lc, closed, func(lc *exec.LaunchContext) { exec.Fill(lc, result, 5) })
		},
		"body": func(lc *exec.LaunchContext, closed, result exec.Array[int32]) {
			exec.SkipUnless(lc, result, func(lc *exec.LaunchContext) { increment(lc, closed) })
		},
		"derived context": func(lc *exec.LaunchContext, closed, _ exec.Array[int32]) {
			inner, err := exec.For(exec.With(context.Background(), lc), lc.Device())
			lc.Fail(err)
			increment(inner, closed)
			lc.Fail(inner.Err())
		},
		"another runner": func(lc *exec.LaunchContext, closed, _ exec.Array[int32]) {
			inner, err := exec.NewGraphRunner(lc.Device(), exec.RunnerOptions{Capturable: true})
			lc.Fail(err)
			body := func(lc *exec.LaunchContext) { increment(lc, closed) }
			_, err = inner.Run(exec.With(context.Background(), lc), body, exec.RunOptions{})
			lc.Fail(err)
			lc.Fail(inner.Close())
		},
	} {
		for _, segmented := range []bool{false, true} {
			t.Run(name, func(t *testing.T) {
				onBackends(t, func(t *testing.T, device backend.Device, _ *emulator.Emulator) {
					closed, result := newArray(t, device, int32(0)), newArray(t, device, int32(0))
					runner, err := exec.NewGraphRunner(device, exec.RunnerOptions{Capturable: !segmented})
					require.NoError(t, err)
					defer func() { require.NoError(t, runner.Close()) }()
					body := func(lc *exec.LaunchContext) {
						increment(lc, result)
						use(lc, closed, result)
					}
					run := func() error {
						if segmented {
							segments := []exec.Segment{{Body: body}, host}
							_, err := runner.RunSegments(t.Context(), segments, exec.RunOptions{Sync: true})
							return err
						}
						_, err := runner.Run(t.Context(), body, exec.RunOptions{Sync: true})
						return err
					}
					require.NoError(t, errors.Join(run(), run()))
					require.NoError(t, closed.Close())
					require.ErrorIs(t, run(), exec.ErrClosed)
					if graph := runner.Graph(); graph != nil {
						require.NoError(t, device.DefaultStream().Replay(graph))
						require.NoError(t, device.DefaultStream().Sync())
					}
				})
			})
		}
	}
}

// A context on another stream that was created during a recording may outlive it. What it then emits is not part of the
// graph.
func TestContextOutlivesRecording(t *testing.T) { // R166
	onBackends(t, func(t *testing.T, device backend.Device, _ *emulator.Emulator) {
		side, other := newStream(t, device), newArray(t, device, int32(0))
		producer := newProducer(t, device, exec.RunnerOptions{Capturable: true})
		var late *exec.LaunchContext
		run := func() error {
			_, err := producer.Run(t.Context(), func(lc *exec.LaunchContext) {
				var err error
				late, err = exec.For(exec.With(t.Context(), lc), device, exec.OnStream(side))
				lc.Fail(err)
				increment(lc, producer.counter)
			}, exec.RunOptions{Sync: true})
			return err
		}
		require.NoError(t, run())
		increment(late, other)
		require.NoError(t, late.Err())
		require.NoError(t, side.Sync())
		require.NoError(t, other.Close())
		require.NoError(t, run())
	})
}

// An array that was passed only to a refused call is not part of the graph.
func TestRefusedCallNamesNoArray(t *testing.T) { // R166
	onBackends(t, func(t *testing.T, device backend.Device, _ *emulator.Emulator) {
		result, long := newArray(t, device, int32(0)), newArray(t, device, int32(0), 0)
		runner, err := exec.NewGraphRunner(device, exec.RunnerOptions{Capturable: true})
		require.NoError(t, err)
		defer func() { require.NoError(t, runner.Close()) }()
		body := func(lc *exec.LaunchContext) {
			increment(lc, result)
			inner, err := exec.For(exec.With(t.Context(), lc), device)
			require.NoError(t, err)
			exec.Copy(inner, result, long)
			require.Error(t, inner.Err())
		}
		_, err = runner.Run(t.Context(), body, exec.RunOptions{Sync: true})
		require.NoError(t, err)
		require.NoError(t, long.Close())
		_, err = runner.Run(t.Context(), body, exec.RunOptions{Sync: true})
		require.NoError(t, err)
	})
}

// A run that fails while capturing its graph replays nothing, even if the failed context is one that the body kept from
// its prepare.
func TestFailedCaptureIsNotReplayed(t *testing.T) { // D10
	onBackends(t, func(t *testing.T, device backend.Device, _ *emulator.Emulator) {
		if !device.Caps().OwnGraphs {
			return // every run is eager
		}
		for _, segmented := range []bool{false, true} {
			counter := newArray(t, device, int32(0))
			var kept *exec.LaunchContext
			body := func(lc *exec.LaunchContext) {
				if kept != nil {
					kept.Fail(assert.AnError)
				}
				kept = lc
				increment(lc, counter)
			}
			runner, err := exec.NewGraphRunner(device, exec.RunnerOptions{Capturable: !segmented})
			require.NoError(t, err)
			defer func() { require.NoError(t, runner.Close()) }()
			if segmented {
				_, err = runner.RunSegments(t.Context(), []exec.Segment{{Body: body}}, exec.RunOptions{})
			} else {
				_, err = runner.Run(t.Context(), body, exec.RunOptions{})
			}
			require.ErrorIs(t, err, assert.AnError)
			require.NoError(t, device.CurrentStream().Sync())
			assert.Equal(t, []int32{1}, read(t, counter), "prepared, and not replayed")
		}
	})
}
