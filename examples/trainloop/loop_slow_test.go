//go:build slow

package main

import (
	"context"
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/trackgen-go/trackgen/backend"
	"github.com/trackgen-go/trackgen/exec/exectest"
	"github.com/trackgen-go/trackgen/track"
	"github.com/trackgen-go/trackgen/track/tracktest"
)

// The loop at full size, under a guard: a thousand steps, in each of which 2 % of 4096 episodes end, replayed on every
// device and emitted on the first. Its memory does not grow. It takes minutes on software devices.
func TestFullSize(t *testing.T) {
	full := settings{config: tracktest.Config(track.Bezier, 4096), ends: 0.02}
	const steps = 1000
	want := uint64(0)
	eachDevice(t, func(t *testing.T, opened backend.Device) {
		for _, eager := range []bool{false, true} {
			if eager && opened.Info().Name != "cpu" {
				continue
			}
			full.eager = eager
			device := exectest.Instrument(opened)
			l, err := newLoop(t.Context(), device, full)
			require.NoError(t, err)
			guard, err := exectest.New(device, exectest.Options{}, exectest.HostSync, exectest.Allocation)
			require.NoError(t, err)
			run := func(steps int) {
				require.NoError(t, guard.Do(t.Context(), func(ctx context.Context) error { return l.run(ctx, steps) }),
					guard.Report())
				require.NoError(t, l.stream.Sync())
			}
			run(steps / 4)
			before := memoryNow(t)
			run(steps - steps/4)
			steady(t, before, memoryNow(t))
			hash, err := l.hash(t.Context())
			require.NoError(t, err)
			require.NoError(t, l.close())
			if want == 0 {
				want = hash
			}
			assert.Equal(t, fmt.Sprintf("%016x", want), fmt.Sprintf("%016x", hash), "eager: %v", eager)
		}
	})
}
