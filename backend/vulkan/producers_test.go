//go:build cgo && (linux || darwin)

package vulkan

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/trackgen-go/trackgen/backend"
	_ "github.com/trackgen-go/trackgen/backend/cpu"
	"github.com/trackgen-go/trackgen/bench/parity"
	"github.com/trackgen-go/trackgen/exec/exectest"
	trackpipeline "github.com/trackgen-go/trackgen/pipeline"
	"github.com/trackgen-go/trackgen/track"
	"github.com/trackgen-go/trackgen/track/tracktest"
)

// Whole generations have the same bits as on the CPU, under the validation layer, in every mode in which a device can
// run them.
func TestProducers(t *testing.T) {
	reference, err := backend.Open("cpu")
	require.NoError(t, err)
	defer func() { require.NoError(t, reference.Close()) }()
	for variant, change := range map[string]func(*settings){
		"native":           func(*settings) {},
		"corrected":        func(s *settings) { s.corrected, s.seedError = true, 2 },
		"offset alignment": func(s *settings) { s.alignment = granule },
	} {
		t.Run(variant, func(t *testing.T) {
			if testing.Short() && variant != "native" {
				t.Skip("left out in short mode: bench/parity and TestConformance run these ways too")
			}
			d := openTest(t, backend.Options{}, change)
			for _, generator := range track.Generators() {
				config := tracktest.Small(tracktest.Config(generator, 7))
				comparisons, err := parity.Compare(t.Context(), []backend.Device{reference, d}, config, 3, parity.Modes(), nil)
				require.NoError(t, err)
				for _, c := range comparisons {
					require.Nil(t, c.First, "%s on %s, %s: %v", generator, c.Device, c.Mode, c.First)
				}
			}
		})
	}
}

// The stage of the repulsive generator, a bounded loop, passes every check of exectest.Check, and the device ends the
// loop early (R138, R163).
func TestRepulsiveStage(t *testing.T) {
	reference, err := backend.Open("cpu")
	require.NoError(t, err)
	defer func() { require.NoError(t, reference.Close()) }()
	d := openTest(t, backend.Options{})
	config := tracktest.Small(tracktest.Config(track.Repulsive, 3, func(c *track.Config) {
		c.Repulsive.StallAreaTolerance = 0.5
	}))
	stages, err := track.Stages(config)
	require.NoError(t, err)
	exectest.CheckStage(t, stages[0], exectest.Config{Devices: []backend.Device{reference, d}, Envs: 3})

	generator, err := track.NewGenerator(d, config)
	require.NoError(t, err)
	defer func() { require.NoError(t, generator.Close()) }()
	windows, err := trackpipeline.ArrayOf[int32](generator.Program(), track.WindowsOutput)
	require.NoError(t, err)
	all, err := windows.Read(t.Context())
	require.NoError(t, err)
	for range 2 { // the first call captures the generator's graph
		_, err = generator.Generate(t.Context())
		require.NoError(t, err)
		require.NoError(t, d.DefaultStream().Sync())
		run, err := windows.Read(t.Context())
		require.NoError(t, err)
		require.Less(t, run[0], all[0], "the device skips windows once all curves have stopped")
	}
}
