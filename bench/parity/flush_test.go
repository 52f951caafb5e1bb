//go:build cgo && linux

package parity

import (
	"path/filepath"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/trackgen-go/trackgen/backend"
	"github.com/trackgen-go/trackgen/backend/cuda/emulator"
	"github.com/trackgen-go/trackgen/track"
	"github.com/trackgen-go/trackgen/track/tracktest"
)

// openFlushing opens the CPU, and an emulated CUDA device that runs each launch also with denormals as zeros.
func openFlushing(t *testing.T) ([]backend.Device, *emulator.Emulator) {
	t.Helper()
	e := emulator.Start(t, 12080, 1)
	sources, err := filepath.Glob("../../kernels/*/kernel_generated.cu")
	require.NoError(t, err)
	require.NotEmpty(t, sources)
	for _, source := range sources {
		e.LoadKernels(t, source)
	}
	e.SetDenormals(t, emulator.CompareDenormals)
	var devices []backend.Device
	for _, name := range []string{"cpu", "cuda:0"} {
		device, err := backend.Open(name)
		require.NoError(t, err)
		t.Cleanup(func() { require.NoError(t, device.Close()) })
		devices = append(devices, device)
	}
	return devices, e
}

// differing returns the kernels whose results depend on denormals in the launches so far, with the number of words.
func differing(e *emulator.Emulator) map[string]int {
	words := map[string]int{}
	for name, f := range e.Flushed() {
		if f.Words > 0 {
			words[name] = f.Words
		}
	}
	return words
}

// No launch for a track of default settings has other results on a device that flushes denormals, whether it flushes
// inputs, results or both. If a kernel has to be added to what is expected, docs/design/vulkan.md must name it too.
func TestFlushedDenormalsChangeNoTrack(t *testing.T) {
	devices, e := openFlushing(t)
	c := track.DefaultConfig()
	c.Variation.RandomDirection, c.Variation.RandomMirror = true, true
	mix := []track.Component{c.NewComponent(1, track.Bezier), c.NewComponent(1, track.Hull)}
	mix[1].Variation.HalfWidthRange = track.Range{Min: 0.05, Max: 0.2}
	configs := []track.Config{
		tracktest.Config(track.Mixed, 12, func(c *track.Config) { c.Candidates, c.Relax.Sweeps, c.Mix = 2, 12, mix }),
		tracktest.Config(track.Polar, 6, func(c *track.Config) { c.Output.MaxPoints, c.Road.HalfWidth = 700, 0.03 }),
	}
	for _, generator := range track.Generators() {
		configs = append(configs, tracktest.Small(tracktest.Config(generator, 6)))
	}
	for _, config := range configs {
		comparisons, err := Compare(t.Context(), devices, config, 7, []Mode{Eager, Masked}, nil)
		require.NoError(t, err)
		for _, c := range comparisons {
			assert.Nil(t, c.First, "%s on %s, %s: %v", config.Generator, c.Device, c.Mode, c.First)
		}
	}
	for _, options := range []track.ImportOptions{{}, {Relax: true, Spacing: 7}} {
		tracks, err := track.Import(t.Context(), devices[1], options, measuredCircuits()...)
		require.NoError(t, err)
		require.NoError(t, tracks.Close())
	}
	draw(t, devices[1])
	assert.Empty(t, differing(e))
	names := []string{}
	for name := range e.Flushed() {
		names = append(names, name)
	}
	slices.Sort(names)
	t.Log(names)
}
