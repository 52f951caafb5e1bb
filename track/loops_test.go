package track

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/trackgen-go/trackgen/backend"
)

// shortLoops is a device that ends loops as Mesa's software driver does.
type shortLoops struct{ backend.Device }

func (d shortLoops) Caps() backend.Caps {
	caps := d.Device.Caps()
	caps.LoopIterations = 65535
	return caps
}

// A configuration that may need longer loops than the device makes is refused; the defaults fit every device known.
func TestLoopsTooLongForTheDevice(t *testing.T) {
	opened, err := backend.Open("cpu")
	require.NoError(t, err)
	defer func() { require.NoError(t, opened.Close()) }()
	device := shortLoops{opened}
	for name, config := range map[string]Config{
		"sweeps":  configOf(Bezier, 1, func(c *Config) { c.Relax.Sweeps = 5000 }),
		"points":  configOf(Bezier, 1, func(c *Config) { c.Output.MaxPoints, c.Road.HalfWidth = 4000, 0.01 }),
		"dense":   configOf(Bezier, 1, func(c *Config) { c.Relax.SeparationSearchEvery, c.Relax.Sweeps = 1, 500 }),
		"samples": configOf(Polar, 1, func(c *Config) { c.Polar.Knots, c.Spline.SamplesPerSegment = 200, 600 }),
		"corners": configOf(Bezier, 1, func(c *Config) { c.Corners.MaxCount = 200 }),
		"hull":    configOf(Hull, 1, func(c *Config) { c.Spline.SamplesPerSegment = 1300 }),
		"sites":   configOf(Voronoi, 1, func(c *Config) { c.Voronoi.Sites = 12000 }),
		"envs": configOf(Polar, 5_000_000, func(c *Config) {
			c.Polar.Knots = 4
			c.Spline.SamplesPerSegment = 2
			c.Output.LoopPoints = 8
			c.Road.HalfWidth = 0.5
			c.Output.MaxPoints = 64
			c.Relax.Enabled = false
		}),
		"clips": configOf(Checkpoint, 1, func(c *Config) {
			c.Output.LoopPoints, c.Checkpoint.ClipCrossings = 600, true
		}),
	} {
		_, err := NewGenerator(device, config)
		assert.ErrorIs(t, err, backend.ErrUnsupported, name)
		assert.ErrorContains(t, err, "ends them after 65535", name)
		assert.NoError(t, config.Resolved().checkLoops(opened), "the CPU ends no loop")
	}
	for _, config := range []Config{
		DefaultConfig(), configOf(Hull, 1), configOf(Polar, 1), configOf(Voronoi, 1), configOf(Checkpoint, 1), configOf(Repulsive, 1),
		configOf(Checkpoint, 1, func(c *Config) { c.Checkpoint.ClipCrossings = true }),
		configOf(Bezier, 1, func(c *Config) { c.Relax.Sweeps = 300 }),
		configOf(Bezier, 1, func(c *Config) { c.Output.MaxPoints, c.Road.HalfWidth = 700, 0.03 }),
		configOf(Bezier, 1, func(c *Config) { c.Relax.SeparationCacheSlots = 24 }),
	} {
		assert.NoError(t, config.Resolved().checkLoops(device), "%+v", config)
	}
}
