//go:build cgo && linux

package race_test

import (
	"errors"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/trackgen-go/trackgen/backend"
	"github.com/trackgen-go/trackgen/backend/cuda/emulator"
	"github.com/trackgen-go/trackgen/exec"
	"github.com/trackgen-go/trackgen/race"
)

// A race that stands has all its kernels: neither steps, nor a recording of one, nor a reset compile anything. Without
// other vehicles it has fewer.
func TestRaceThatStandsCompilesNothing(t *testing.T) {
	alone := func(c *race.Config) {
		c.Course.Agents, c.Course.Collision.Agents, c.Rangefinder.SeeAgents = 1, false, false
	}
	swept := func(c *race.Config) { c.Course.Collision.Swept = true }
	compiled := map[string]int{}
	for name, c := range map[string]race.Config{"cars": lively(), "swept": lively(swept), "alone": lively(alone),
		"drones": flying()} {
		t.Run(name, func(t *testing.T) {
			e := emulator.Start(t, 12080, 1)
			sources, err := filepath.Glob("../kernels/*/kernel_generated.cu")
			require.NoError(t, err)
			for _, source := range sources {
				e.LoadKernels(t, source)
			}
			device, err := backend.Open("cuda:0")
			require.NoError(t, err)
			t.Cleanup(func() { require.NoError(t, device.Close()) })
			stream, err := device.NewStream()
			require.NoError(t, err)
			defer func() { require.NoError(t, stream.Close()) }()
			require.NoError(t, backend.LoadContext(t.Context(), device, c.Kernels()...))
			listed := e.Calls("cuModuleLoadDataEx")
			r, err := race.New(device, c)
			require.NoError(t, err)
			require.NoError(t, r.Close())
			require.Equal(t, listed, e.Calls("cuModuleLoadDataEx"), "Kernels lists all of them")
			l := newLoop(t, device, stream, c)
			compiled[name] = e.Calls("cuModuleLoadDataEx")
			l.call(t.Context())
			require.NoError(t, l.race.Reset(t.Context(), exec.Array[int32]{}))
			require.NoError(t, stream.BeginCapture())
			l.call(t.Context())
			graph, err := stream.EndCapture()
			require.NoError(t, err)
			require.NoError(t, errors.Join(stream.Replay(graph), stream.Sync(), graph.Close()))
			require.Equal(t, compiled[name], e.Calls("cuModuleLoadDataEx"))
		})
	}
	require.Less(t, compiled["alone"], compiled["cars"])
}
