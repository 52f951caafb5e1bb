//go:build cgo && linux

package parity

import (
	"context"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/trackgen-go/trackgen/backend"
	"github.com/trackgen-go/trackgen/backend/cuda/emulator"
	"github.com/trackgen-go/trackgen/bench/producers"
	"github.com/trackgen-go/trackgen/gate"
	"github.com/trackgen-go/trackgen/heightfield"
	"github.com/trackgen-go/trackgen/track"
	"github.com/trackgen-go/trackgen/track/tracktest"
)

// openFlushing opens the CPU, and an emulated CUDA device that runs each launch also with denormals as zeros.
func openFlushing(t *testing.T) ([]backend.Device, *emulator.Emulator) {
	t.Helper()
	e := emulator.Start(t, 12080, 1)
	sources, err := filepath.Glob("../../kernels/*/kernel_generated.cu")
	require.NoError(t, err)
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

// entries returns the kernels of the module.
func entries(t *testing.T) []string {
	t.Helper()
	sources, err := filepath.Glob("../../kernels/*/kernel_generated.ptx")
	require.NoError(t, err)
	var names []string
	for _, source := range sources {
		text, err := os.ReadFile(source)
		require.NoError(t, err)
		for _, match := range regexp.MustCompile(`\.entry (\w+)`).FindAllSubmatch(text, -1) {
			names = append(names, string(match[1]))
		}
	}
	require.NotEmpty(t, names)
	return names
}

// flushedNames returns the kernels whose launches so far had words that differ where denormals are zeros, or all
// kernels that were launched.
func flushedNames(e *emulator.Emulator, all bool) []string {
	names := []string{}
	for name, found := range e.Flushed() {
		if all || found.Words > 0 {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

// compareFlushed makes tracks on the devices, which must agree.
func compareFlushed(t *testing.T, devices []backend.Device, config track.Config) {
	t.Helper()
	comparisons, err := Compare(t.Context(), devices, config, 7, []Mode{Eager, Masked}, nil)
	require.NoError(t, err)
	for _, c := range comparisons {
		assert.Nil(t, c.First, "%s on %s, %s: %v", config.Generator, c.Device, c.Mode, c.First)
	}
}

// makeGates generates gate courses of every generator, and some of them again by mask. The heights, sizes and
// orientations are those with the most arithmetic.
func makeGates(t *testing.T, device backend.Device) {
	t.Helper()
	mask := array(t, device, []int32{1, 0, 1})
	for _, name := range append(gate.Generators(), gate.Mixed) {
		c := gate.DefaultConfig()
		c.Generator, c.NumEnvs = name, 3
		c.Elevation.Profile, c.Elevation.Min, c.Elevation.Max, c.Elevation.NoiseAmplitude = "noise", -0.4, 0.4, 0.5
		c.Gate.Align, c.Gate.Width, c.Candidates = "full_tangent", 0.25, 2
		c.Gate.SizeRange = gate.Range{Min: 0.5, Max: 1.5}
		if name == gate.Mixed {
			c.Mix = []gate.Component{c.NewComponent(1, gate.Polar), c.NewComponent(2, gate.Bezier)}
		}
		generator, err := gate.NewGenerator(device, c)
		require.NoError(t, err)
		_, err = generator.Regenerate(t.Context(), mask)
		require.NoError(t, err)
		require.NoError(t, device.CurrentStream().Sync())
		require.NoError(t, generator.Close())
	}
}

// workAlong places gates along hilly tracks and bakes their height fields with both kinds of ground.
func workAlong(t *testing.T, device backend.Device) {
	t.Helper()
	c := gate.DefaultConfig()
	c.Generator, c.NumEnvs, c.Along.Spacing, c.Gate.Align = gate.AlongTracks, 3, 0.4, "full_tangent"
	along, err := newCoursesAlong(device, c, nil)
	require.NoError(t, err)
	require.NoError(t, along.generate(t.Context()))
	require.NoError(t, along.Close())
	tracks, err := track.NewGenerator(device, tracktest.Small(tracktest.Config(track.Hull, 3, hills)))
	require.NoError(t, err)
	for _, mode := range []string{heightfield.Nearest, heightfield.Smooth} {
		h := heightfield.DefaultConfig()
		h.Resolution, h.Blend.Mode = 16, mode
		baker, err := heightfield.NewBaker(device, heightfield.SourceOf(tracks.Track()), h)
		require.NoError(t, err)
		_, err = baker.Bake(t.Context())
		require.NoError(t, err)
		require.NoError(t, device.CurrentStream().Sync())
		require.NoError(t, baker.Close())
	}
	require.NoError(t, tracks.Close())
}

// everyConfig returns small batches of tracks that take, with workBeside, every kernel of package producers.
func everyConfig() []track.Config {
	c := track.DefaultConfig()
	c.Variation.RandomDirection, c.Variation.RandomMirror = true, true
	mix := []track.Component{c.NewComponent(1, track.Bezier), c.NewComponent(1, track.Hull)}
	mix[1].Variation.HalfWidthRange = track.Range{Min: 0.05, Max: 0.2}
	configs := []track.Config{
		tracktest.Config(track.Mixed, 6, func(c *track.Config) { c.Candidates, c.Relax.Sweeps, c.Mix = 2, 12, mix }),
		tracktest.Config(track.Polar, 2, func(c *track.Config) { c.Output.MaxPoints, c.Road.HalfWidth = 700, 0.03 }),
		tracktest.Config(track.Polar, 2, func(c *track.Config) { c.Output.MaxPoints, c.Relax.Sweeps = 128, 12 }),
		tracktest.Small(tracktest.Config(track.Repulsive, 2, func(c *track.Config) { c.Repulsive.Alpha = 2.5 })),
		tracktest.Small(tracktest.Config(track.Hull, 3, hills)),
	}
	for _, generator := range track.Generators() {
		configs = append(configs, tracktest.Small(tracktest.Config(generator, 3)))
	}
	return configs
}

// workBeside runs what makes or uses tracks beside generators.
func workBeside(t *testing.T, device backend.Device) {
	t.Helper()
	for _, options := range []track.ImportOptions{{}, {Relax: true, Spacing: 7}} {
		tracks, err := track.Import(t.Context(), device, options, measuredCircuits()...)
		require.NoError(t, err)
		require.NoError(t, tracks.Close())
	}
	makeGates(t, device)
	workAlong(t, device)
	for _, run := range []func(context.Context, backend.Device, int) error{
		producers.RunProgress, producers.RunLines, producers.RunRacelines, producers.RunCourse,
		producers.RunObservations, producers.RunVehicles, producers.RunPursuit, producers.RunFlight, producers.RunRace,
		producers.RunRewards, producers.RunObstacles, producers.RunBorders,
	} {
		require.NoError(t, run(t.Context(), device, 3))
	}
	draw(t, device)
}

// No launch for a track of ordinary size, its height field or a gate course has other results on a device that flushes
// denormals, whether it flushes inputs, results or both. If a kernel has to be added to what is expected,
// docs/design/vulkan.md must say so too.
func TestFlushedDenormalsChangeNoTrack(t *testing.T) {
	devices, e := openFlushing(t)
	configs := everyConfig()
	for _, generator := range track.Generators() {
		for _, scale := range []float64{1e-10, 1e6} {
			configs = append(configs, tracktest.Small(scaled(generator, scale)))
		}
	}
	for _, config := range configs {
		compareFlushed(t, devices, config)
	}
	workBeside(t, devices[1])
	assert.Empty(t, flushedNames(e, false))

	launched := flushedNames(e, true)
	for _, name := range entries(t) {
		assert.Contains(t, launched, name, "no launch of this kernel was compared")
	}
}

// hills gives tracks heights.
func hills(c *track.Config) {
	c.Elevation.Profile, c.Elevation.Min, c.Elevation.Max, c.Elevation.MaxStep = "random_walk", -0.5, 0.5, 0.3
}

// scaled returns a small batch of tracks whose lengths are all multiplied by scale.
func scaled(generator string, scale float64) track.Config {
	return tracktest.Config(generator, 2, func(c *track.Config) {
		c.Scale, c.Road.HalfWidth = scale, 0.1*scale
		c.Relax.Sweeps = 4
	})
}

// The results of these kernels depend on denormals where lengths are tiny, because the squares of lengths below about
// 1e-15, or the lengths themselves, are denormal. docs/design/vulkan.md lists them.
func TestKernelsThatDependOnDenormals(t *testing.T) {
	devices, e := openFlushing(t)
	for _, scale := range []float64{1e-15, 1e-19, 1e-37} {
		for _, generator := range track.Generators() {
			compareFlushed(t, devices, tracktest.Small(scaled(generator, scale)))
		}
	}
	assert.Equal(t, []string{"k_bezier", "k_choose", "k_even", "k_inflate", "k_polar", "k_relax", "k_space", "k_stop",
		"k_through", "k_validate", "k_vertices"}, flushedNames(e, false))
}
