package track

import (
	"errors"
	"math"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/trackgen-go/trackgen/backend"
)

// shortLoops is a device that ends loops early, as Mesa's software driver does.
type shortLoops struct{ backend.Device }

func (d shortLoops) Caps() backend.Caps {
	caps := d.Device.Caps()
	caps.LoopIterations = 65535
	return caps
}

// A configuration that may need longer loops than the device allows is refused, and the error names the field. The
// defaults fit every known device.
func TestLoopsTooLongForTheDevice(t *testing.T) {
	opened := openCPU(t)
	device := shortLoops{opened}
	voronoi := configOf(Mixed, 1)
	voronoi.Mix = []Component{voronoi.NewComponent(1, Polar), voronoi.NewComponent(1, Voronoi)}
	voronoi.Mix[1].Voronoi.Sites = 12000
	for field, config := range map[string]Config{
		"relax.sweeps":                  configOf(Bezier, 1, func(c *Config) { c.Relax.Sweeps = 5000 }),
		"output.max_points":             configOf(Bezier, 1, manyPoints),
		"relax.separation_search_every": frequentSearches(1),
		"corners.max_count":             configOf(Bezier, 1, func(c *Config) { c.Corners.MaxCount = 200 }),
		"spline.samples_per_segment":    configOf(Hull, 1, func(c *Config) { c.Spline.SamplesPerSegment = 1300 }),
		"voronoi.sites":                 configOf(Voronoi, 1, func(c *Config) { c.Voronoi.Sites = 12000 }),
		"output.loop_points": configOf(Checkpoint, 1, func(c *Config) {
			c.Output.LoopPoints, c.Checkpoint.BestOf, c.Checkpoint.ClipCrossings = 500, 40, true
		}),
		"checkpoint.clip_crossings": configOf(Checkpoint, 1, func(c *Config) {
			c.Output.LoopPoints, c.Checkpoint.ClipCrossings = 600, true
		}),
		"mix[1].voronoi.sites": voronoi,
		"num_envs": configOf(Polar, 5_000_000, func(c *Config) {
			c.Polar.Knots, c.Spline.SamplesPerSegment, c.Output.LoopPoints = 4, 2, 8
			c.Road.HalfWidth, c.Output.MaxPoints, c.Relax.Enabled = 0.5, 64, false
		}),
	} {
		_, err := NewGenerator(device, config)
		assert.ErrorIs(t, err, backend.ErrUnsupported, field)
		assert.ErrorContains(t, err, "ends them after 65535", field)
		var wrong *ConfigError
		if assert.ErrorAs(t, err, &wrong, field) {
			assert.Equal(t, field, wrong.Field, err)
		}
		assert.Equal(t, config.CheckDevice(device).Error()[:20], wrong.Error()[:20])
		assert.NoError(t, config.CheckDevice(opened), "the CPU ends no loop")
	}
	for _, config := range []Config{
		DefaultConfig(), configOf(Hull, 1), configOf(Polar, 1), configOf(Voronoi, 1), configOf(Checkpoint, 1),
		configOf(Repulsive, 1), configOf(Checkpoint, 1, func(c *Config) { c.Checkpoint.ClipCrossings = true }),
		configOf(Bezier, 1, func(c *Config) { c.Relax.Sweeps = 300 }),
		configOf(Bezier, 1, func(c *Config) { c.Output.MaxPoints, c.Road.HalfWidth = 700, 0.03 }),
		configOf(Bezier, 1, func(c *Config) { c.Relax.SeparationCacheSlots = 24 }),
		configOf(Bezier, 1, func(c *Config) { c.Relax.SeparationSearchEvery = 1 }),
		configOf(Repulsive, 1, func(c *Config) { c.Repulsive.ResampleEvery = 1 }),
		configOf(Bezier, 1, func(c *Config) { c.Validity.CheckBorders, c.Candidates = true, 4 }), mixture(1),
	} {
		assert.NoError(t, config.CheckDevice(device), "%+v", config)
	}
}

// manyPoints sets output.max_points to a value that needs long loops.
func manyPoints(c *Config) { c.Output.MaxPoints, c.Road.HalfWidth = 4000, 0.01 }

// frequentSearches returns a configuration whose loops are short with the default relax.separation_search_every.
func frequentSearches(every int) Config {
	return configOf(Bezier, 1, func(c *Config) {
		c.Relax.SeparationSearchEvery, c.Output.MaxPoints, c.Relax.Sweeps = every, 500, 51
	})
}

// The value that the error allows is the limit: the device can run it, and cannot run the next one.
func TestAllowedLoopsAreExact(t *testing.T) {
	device := shortLoops{openCPU(t)}
	allowed := func(c Config, bound string) int {
		var wrong *ConfigError
		require.ErrorAs(t, c.CheckDevice(device), &wrong)
		rest, ok := strings.CutPrefix(wrong.Allowed, bound+" ")
		require.True(t, ok, wrong.Allowed)
		number, _, _ := strings.Cut(rest, " ")
		n, err := strconv.Atoi(number)
		require.NoError(t, err)
		return n
	}
	sweeps := func(n int) Config { return configOf(Bezier, 1, func(c *Config) { c.Relax.Sweeps = n }) }
	n := allowed(sweeps(5000), "at most")
	assert.NoError(t, sweeps(n).CheckDevice(device))
	assert.Error(t, sweeps(n+1).CheckDevice(device))
	n = allowed(frequentSearches(1), "at least")
	assert.NoError(t, frequentSearches(n).CheckDevice(device))
	assert.Error(t, frequentSearches(n-1).CheckDevice(device))
}

// If no single field is the cause, the error names the field with the largest effect.
func TestLoopsTooLongByTwoFields(t *testing.T) {
	long := configOf(Bezier, 1, manyPoints)
	long.Relax.Sweeps = 5000
	err := long.CheckDevice(shortLoops{openCPU(t)})
	assert.ErrorContains(t, err, "relax.sweeps is 5000: must be nearer to 50, and other fields too, on the device cpu "+
		"(cpu: the loops of kernel ")
	var loops *LoopsError
	require.True(t, errors.As(err, &loops))
	assert.EqualValues(t, 65535, loops.Limit)
	assert.Greater(t, loops.Iterations, int64(math.Pow(2, 20)))

	assert.ErrorIs(t, Config{}.CheckDevice(openCPU(t)), ErrConfig)
	assert.ErrorIs(t, DefaultConfig().CheckDevice(nil), backend.ErrInvalid)
}

// A configuration whose generation would take hours is refused on every device, and the error names the field.
func TestLoopsThatTakeHours(t *testing.T) {
	device := openCPU(t)
	large := func(c *Config) { c.Output.MaxPoints, c.Output.LoopPoints = 1<<16, 1<<16 }
	for field, config := range map[string]Config{
		"relax.sweeps":       configOf(Bezier, 1, large, func(c *Config) { c.Relax.Sweeps = 100_000 }),
		"checkpoint.best_of": configOf(Checkpoint, 1, large, func(c *Config) { c.Checkpoint.BestOf = 4096 }),
	} {
		_, err := NewGenerator(device, config)
		assert.ErrorIs(t, err, ErrConfig, field)
		assert.ErrorIs(t, err, backend.ErrUnsupported, field)
		assert.ErrorContains(t, err, "would take hours; the limit is 8589934592", field)
		var wrong *ConfigError
		if assert.ErrorAs(t, err, &wrong, field) {
			assert.Equal(t, field, wrong.Field, err)
		}
		assert.NotContains(t, err.Error(), "device")
	}
	assert.NoError(t, configOf(Bezier, 1, large).CheckDevice(device))
	assert.NoError(t, configOf(Bezier, 1, func(c *Config) { c.Relax.Sweeps = 100_000 }).CheckDevice(device))
}

// The instrumented twins count the iterations of kernels, and report a kernel that runs more than its stated bound.
// These settings bring the kernels close to their bounds, or through their other branches.
func TestLoopBoundsHold(t *testing.T) {
	device, err := backend.Open("cpu", backend.Debug(true))
	require.NoError(t, err)
	defer func() { require.NoError(t, device.Close()) }()
	unrelaxed := func(change func(*Config)) func(*Config) {
		return func(c *Config) { c.Relax.Enabled = false; change(c) }
	}
	for _, c := range []Config{
		configOf(Polar, 2, func(c *Config) {
			c.Relax.SeparationSearchEvery, c.Relax.Sweeps, c.Validity.CheckBorders = 1, 3, true
		}),
		configOf(Polar, 2, func(c *Config) { c.Relax.SeparationCacheSlots, c.Relax.Sweeps = 24, 3 }),
		configOf(Bezier, 2, unrelaxed(func(c *Config) { c.Corners.MinCount, c.Corners.MaxCount, c.Candidates = 12, 12, 2 })),
		configOf(Hull, 2, unrelaxed(func(*Config) {})),
		configOf(Voronoi, 2, unrelaxed(func(c *Config) { c.Voronoi.Layout = "clustered" })),
		configOf(Checkpoint, 2, unrelaxed(func(c *Config) { c.Checkpoint.ClipCrossings, c.Checkpoint.TurnRate = true, 1 })),
		configOf(Repulsive, 2, unrelaxed(func(c *Config) {
			c.Output.LoopPoints, c.Road.HalfWidth = 64, 0.1
			c.Repulsive.MinGrowth, c.Repulsive.MaxGrowth, c.Repulsive.ResampleEvery = 1.5, 1.5, 1
			c.Repulsive.MinObstacles, c.Repulsive.MaxObstacles, c.Repulsive.SettleIterations = 1, 1, 5
		})),
	} {
		g, err := NewGenerator(device, c)
		require.NoError(t, err, "%+v", c)
		require.NoError(t, g.Close())
	}
}
