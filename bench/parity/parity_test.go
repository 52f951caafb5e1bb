package parity

import (
	"context"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/trackgen-go/trackgen/backend"
	_ "github.com/trackgen-go/trackgen/backend/all"
	"github.com/trackgen-go/trackgen/gate"
	"github.com/trackgen-go/trackgen/heightfield"
	"github.com/trackgen-go/trackgen/track"
	"github.com/trackgen-go/trackgen/track/tracktest"
)

// openAll opens the CPU twice, with one worker and with several, and every device of the other drivers, including
// software devices.
func openAll(t *testing.T) []backend.Device {
	t.Helper()
	var devices []backend.Device
	add := func(name string, options ...backend.Option) {
		device, err := backend.Open(name, options...)
		require.NoError(t, err, name)
		t.Cleanup(func() { require.NoError(t, device.Close()) })
		devices = append(devices, device)
	}
	add("cpu", backend.Workers(1))
	add("cpu", backend.Workers(5))
	for _, b := range backend.Devices() {
		for _, info := range b.Devices {
			if info.Backend != "cpu" {
				add(info.Name)
			}
		}
	}
	return devices
}

// The default batch fills a group of a kernel that has one env an item, and a part of another. What the other settings
// change happens within each env.
func TestAllDevicesAgree(t *testing.T) {
	devices := openAll(t)
	for _, name := range track.Generators() {
		for variant, config := range map[string]track.Config{
			"default": track.DefaultConfig(),
			"large": tracktest.Config(name, 1, func(c *track.Config) {
				c.Road.HalfWidth, c.Output.MaxPoints = 0.03, 700
			}),
			"borders": tracktest.Config(name, 1, func(c *track.Config) {
				c.Validity.CheckBorders, c.Relax.Sweeps = true, 5
			}),
			"unrelaxed": tracktest.Config(name, 1, func(c *track.Config) { c.Relax.Enabled = false }),
		} {
			config.Generator, config.NumEnvs = name, 33
			if variant != "default" {
				config.NumEnvs = 4
			}
			if testing.Short() && variant != "default" {
				continue // each setting runs the kernels of the default one
			}
			agree(t, devices, name+", "+variant, tracktest.Small(config))
		}
	}
}

// Each device implements conditionals, and so rounds of candidates and lists of components, in its own way.
func TestCandidatesAndMixturesAgree(t *testing.T) {
	devices := openAll(t)
	c := track.DefaultConfig()
	mix := []track.Component{
		c.NewComponent(2, track.Bezier), c.NewComponent(1, track.Hull), c.NewComponent(1, track.Polar),
	}
	mix[2].Scale = 1.2
	agree(t, devices, "candidates", tracktest.Config(track.Polar, 33, func(c *track.Config) {
		c.Candidates, c.Road.HalfWidth, c.Relax.Sweeps = 3, 0.15, 12
	}))
	agree(t, devices, "mixture", tracktest.Config(track.Mixed, 33, func(c *track.Config) { c.Mix = mix }))
	agree(t, devices, "candidates of a mixture", tracktest.Config(track.Mixed, 33, func(c *track.Config) {
		c.Candidates = 3
		c.Road.HalfWidth = 0.15
		c.Relax.Sweeps = 12
		c.Mix = mix
	}))
}

// Roads that vary depend on the component of an env, and all of its candidates have one.
func TestRoadsThatVaryAgree(t *testing.T) {
	devices := openAll(t)
	c := track.DefaultConfig()
	c.Variation.RandomDirection, c.Variation.RandomMirror = true, true
	mix := []track.Component{c.NewComponent(1, track.Bezier), c.NewComponent(1, track.Polar)}
	mix[1].Variation.HalfWidthRange = track.Range{Min: 0.05, Max: 0.2}
	agree(t, devices, "roads that vary", tracktest.Config(track.Mixed, 33, func(c *track.Config) {
		c.Candidates, c.Relax.Sweeps, c.Mix = 2, 12, mix
	}))
}

// Hills and banked roads have the same bits on every device and in every mode: alone, with candidates of which some are
// too steep, in a mixed batch and on roads that vary.
func TestHillsAgree(t *testing.T) {
	devices := openAll(t)
	for k, profile := range []string{"uniform", "random_walk", "noise"} {
		agree(t, devices, profile, tracktest.Config(track.Mixed, 9, func(c *track.Config) {
			c.Elevation.Profile, c.Elevation.Min, c.Elevation.Max = profile, -0.3, 0.4
			c.Elevation.MaxStep, c.Elevation.NoiseAmplitude, c.Validity.MaxGrade = 0.8, 0.5, 0.5
			c.Banking.Profile = []string{"none", "curvature", "curvature"}[k]
			c.Variation.RandomDirection, c.Variation.HalfWidthRange = true, track.Range{Min: 0.05, Max: 0.15}
			c.Candidates, c.Relax.Sweeps = 3, 12
			c.Mix = []track.Component{c.NewComponent(1, track.Bezier), c.NewComponent(1, track.Polar)}
		}))
	}
}

// agree compares all modes on all devices.
func agree(t *testing.T, devices []backend.Device, label string, config track.Config) {
	t.Helper()
	comparisons, err := Compare(context.Background(), devices, config, 7, Modes(), nil)
	require.NoError(t, err)
	assert.Len(t, comparisons, len(devices)*len(Modes()))
	for _, c := range comparisons {
		assert.Nil(t, c.First, "%s on %s, %s: %v", label, c.Device, c.Mode, c.First)
		assert.Positive(t, c.Words)
	}
}

// Gate courses have the same bits on every device and in every mode, with everything that varies from env to env.
func TestGateCoursesAgree(t *testing.T) {
	devices := openAll(t)
	for _, name := range append(gate.Generators(), gate.Mixed, gate.AlongTracks) {
		c := gate.DefaultConfig()
		c.Generator, c.NumEnvs, c.Candidates, c.Gate.Width = name, 9, 3, 0.25
		c.Repulsive.MinGrowth, c.Repulsive.MaxGrowth, c.Repulsive.GrowthRate = 1.2, 1.4, 0.2
		c.Repulsive.SettleIterations, c.Repulsive.StallWindow = 1, 2
		c.Elevation.Profile, c.Elevation.Max, c.Elevation.MaxStep = "random_walk", 0.5, 0.6
		c.Gate.SizeRange, c.Gate.Align = gate.Range{Min: 0.5, Max: 1.5}, "full_tangent"
		if name == gate.Mixed {
			c.Mix = []gate.Component{c.NewComponent(1, gate.Polar), c.NewComponent(2, gate.Bezier)}
		}
		if name == gate.AlongTracks {
			c.Candidates, c.Along.Spacing = 1, 0.4
		}
		comparisons, err := CompareGates(t.Context(), devices, c, 7, Modes(), nil)
		require.NoError(t, err)
		assert.Len(t, comparisons, len(devices)*len(Modes()))
		for _, found := range comparisons {
			assert.Nil(t, found.First, "%s on %s, %s: %v", found.Generator, found.Device, found.Mode, found.First)
			assert.Greater(t, found.Arrays, 15)
		}
	}
}

// The first difference is located by stage, env, element and word.
func TestDifferenceIsLocated(t *testing.T) {
	device, err := backend.Open("cpu")
	require.NoError(t, err)
	defer device.Close()
	take := func() *snapshot {
		taken, err := subjectOf(tracktest.Config(track.Bezier, 4)).run(context.Background(), device, 0, Eager)
		require.NoError(t, err)
		return taken
	}
	one, other := take(), take()
	assert.Nil(t, one.difference(other, 4))
	for i, array := range other.arrays {
		if array.Stage == "inflate" && array.Name == "center" {
			perEnv := 384 * 3
			other.words[i][2*perEnv+3*5+1] ^= 1
		}
		if array.Name == "valid" {
			other.words[i][0] ^= 1
		}
	}
	found := one.difference(other, 4)
	require.NotNil(t, found)
	assert.Equal(t, Difference{Stage: "inflate", Array: "center", Env: 2, Element: 5, Word: 1, Want: found.Want,
		Got: found.Want ^ 1}, *found)
	assert.Contains(t, found.String(), "stage inflate, array center, env 2, element 5, word 1")
}

func TestCompareRefuses(t *testing.T) {
	device, err := backend.Open("cpu")
	require.NoError(t, err)
	defer device.Close()
	_, err = Compare(context.Background(), nil, track.DefaultConfig(), 0, Modes(), nil)
	assert.ErrorIs(t, err, backend.ErrInvalid)
	_, err = Compare(context.Background(), []backend.Device{device}, track.DefaultConfig(), 0, []Mode{"fast"}, nil)
	assert.ErrorIs(t, err, backend.ErrInvalid)
	wrong := track.DefaultConfig()
	wrong.Road.HalfWidth = -1
	_, err = Compare(context.Background(), []backend.Device{device}, wrong, 0, Modes(), nil)
	assert.ErrorIs(t, err, track.ErrConfig)
	cancelled, cancel := context.WithCancel(context.Background())
	cancel()
	_, err = Compare(cancelled, []backend.Device{device}, track.DefaultConfig(), 0, Modes(), nil)
	assert.ErrorIs(t, err, context.Canceled)
}

// Height fields agree on all devices, in all modes.
func TestHeightsAgree(t *testing.T) {
	devices := openAll(t)
	for _, mode := range []string{heightfield.Nearest, heightfield.Smooth} {
		c := heightfield.DefaultConfig()
		c.Resolution, c.Blend.Mode = 24, mode
		comparisons, err := CompareHeights(t.Context(), devices, c, 7, 5, Modes(), nil)
		require.NoError(t, err)
		assert.Len(t, comparisons, len(devices)*len(Modes()))
		for _, found := range comparisons {
			assert.Nil(t, found.First, "%s on %s, %s: %v", found.Generator, found.Device, found.Mode, found.First)
			assert.Greater(t, found.Arrays, 20)
		}
	}
}
