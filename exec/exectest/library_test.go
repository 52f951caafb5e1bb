package exectest_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/trackgen-go/trackgen/exec"
	"github.com/trackgen-go/trackgen/exec/exectest"
	"github.com/trackgen-go/trackgen/track"
	"github.com/trackgen-go/trackgen/track/tracktest"
)

// The generators of the library keep the contract of the hot path: generating and regenerating neither wait nor
// allocate, and emit everything through the context.
func TestGeneratorsKeepTheContract(t *testing.T) { // R20, R86, R119-R123, R134
	device := instrumented(t)
	mask := newArray(t, device, int32(1), 0, 1)
	for _, name := range []string{"bezier", "polar", "repulsive"} {
		t.Run(name, func(t *testing.T) {
			generator, err := track.NewGenerator(device, tracktest.Small(tracktest.Config(name, 3)))
			require.NoError(t, err)
			defer func() { require.NoError(t, generator.Close()) }()
			_, err = generator.Regenerate(t.Context(), mask) // the first call with a mask allocates
			require.NoError(t, err)

			g := exectest.HotPath(device, exectest.Options{})
			for _, call := range []func(ctx context.Context) error{
				func(ctx context.Context) error {
					_, err := generator.Generate(ctx)
					return err
				},
				func(ctx context.Context) error {
					_, err := generator.Regenerate(ctx, mask)
					return err
				},
			} {
				require.NoError(t, g.Do(t.Context(), call), g.Report())
				assert.Greater(t, g.Checks(exectest.Stream), 5, "launches were looked at")
				if name != track.Repulsive { // a bounded loop reads its flag
					assert.Empty(t, g.Sanctioned())
				}
			}

			ctx := t.Context()
			assert.Zero(t, exectest.HeapAllocations(3, func() {
				_, err := generator.Generate(ctx)
				_, masked := generator.Regenerate(ctx, mask)
				if err != nil || masked != nil {
					t.Error(err, masked)
				}
			}), "R135: nor does it allocate on the Go heap")

			// The same when recorded: the caller owns the capture, so the guard covers what the generator emits into it.
			stream := device.DefaultStream()
			require.NoError(t, stream.BeginCapture())
			recording, err := exectest.New(device, exectest.Options{}, exectest.HostSync, exectest.Allocation, exectest.Stream)
			require.NoError(t, err)
			require.NoError(t, recording.Do(t.Context(), func(ctx context.Context) error {
				_, err := generator.Regenerate(ctx, mask)
				return err
			}), recording.Report())
			graph, err := stream.EndCapture()
			require.NoError(t, err)
			require.NoError(t, graph.Close())
		})
	}
}

// A guard in a user's own test.
func ExampleGuard_Do() {
	// device := exectest.Instrument(device), and a producer built on it
	run := func(ctx context.Context, device *exectest.Device, runner *exec.GraphRunner, body exec.Enqueue) error {
		guard := exectest.HotPath(device, exectest.Options{Modules: []string{"example.org/mine"}})
		return guard.Do(ctx, func(ctx context.Context) error {
			_, err := runner.Run(ctx, body, exec.RunOptions{Policy: exec.Eager})
			return err
		})
	}
	_ = run
}
