package gate_test

import (
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/trackgen-go/trackgen/gate"
)

// Every wrong configuration is refused before any device work, with the field, its value and what is allowed.
func TestWrongConfigurations(t *testing.T) {
	for want, change := range map[string]func(*gate.Config){
		"validity.min_gates is 14: must be at most 13, the largest number of gates that " +
			"bezier makes (corners.max_count)": func(c *gate.Config) {
			c.Validity.MinGates = 14
		},
		"output.max_gates is 12: must be at least 13, the largest number of gates that " +
			"bezier makes (corners.max_count)": func(c *gate.Config) {
			c.Output.MaxGates = 12
		},
		"output.max_gates is 16: must be at least 18, the largest number of gates that " +
			"voronoi makes (voronoi.control_points)": func(c *gate.Config) {
			c.Generator, c.Output.MaxGates = gate.Voronoi, 16
		},
		"validity.min_gates is 5: must be at most 4, the largest number of gates that polar makes (polar.knots)": func(
			c *gate.Config) {
			c.Generator, c.Polar.Knots, c.Validity.MinGates = gate.Polar, 0, 5
		},
		"output.max_gates is 4: must be at least validity.min_gates (5)\nvalidity.min_gates is 5: must be at most 4, " +
			"the largest number of gates that bezier makes (corners.max_count)": func(c *gate.Config) {
			c.Corners.MinCount, c.Corners.MaxCount, c.Output.MaxGates, c.Validity.MinGates = 2, 4, 4, 5
		},
		`ordering is "raw": must be one of ccw, random_pairs with the generator bezier`: func(c *gate.Config) {
			c.Ordering = "raw"
		},
		`ordering is "random_pairs": must be one of ccw, raw with the generator checkpoint`: func(c *gate.Config) {
			c.Generator, c.Ordering = gate.Checkpoint, "random_pairs"
		},
		`ordering is "random_pairs": must be one of ccw, raw with the generator voronoi`: func(c *gate.Config) {
			c.Generator, c.Ordering = gate.Voronoi, "random_pairs"
		},
		`ordering is "cw": must be one of raw, ccw, random_pairs`: func(c *gate.Config) { c.Ordering = "cw" },
		`generator is "spline": must be one of bezier, hull, polar, voronoi, checkpoint, repulsive, mixed`: func(
			c *gate.Config) {
			c.Generator = "spline"
		},
		"repulsive.max_count is 17: must be at least repulsive.min_count (18)": func(c *gate.Config) {
			c.Repulsive.MaxCount = 17
		},
		"repulsive.max_growth is 2: must be at least repulsive.min_growth (4.5)": func(c *gate.Config) {
			c.Repulsive.MaxGrowth = 2
		},
		"repulsive.growth_rate is 0.0001: must be so large that growing by repulsive.max_growth (5.5) and settling takes " +
			"at most 10000 iterations; it would take 27319": func(c *gate.Config) { c.Repulsive.GrowthRate = 1e-4 },
		"output.max_gates is 20: must be at least 24, the largest number of gates that repulsive makes " +
			"(repulsive.max_count)": func(c *gate.Config) {
			c.Generator, c.Output.MaxGates = gate.Repulsive, 20
		},
		"corners.half_cell_size is 0.6: must be a number >= 2e-05 and <= 0.5": func(c *gate.Config) {
			c.Corners.HalfCellSize = 0.6
		},
		"corners.max_count is 8: must be at least corners.min_count (9)": func(c *gate.Config) { c.Corners.MaxCount = 8 },
		"voronoi.sites is 17: must be at least voronoi.control_points (18)": func(c *gate.Config) {
			c.Voronoi.Sites = 17
		},
		"gate.radius is NaN: must be a number >= 0 and <= 1000000":  func(c *gate.Config) { c.Gate.Radius = math.NaN() },
		"gate.width is -1: must be a number >= 0 and <= 1000000":    func(c *gate.Config) { c.Gate.Width = -1 },
		"gate.radius is +Inf: must be a number >= 0 and <= 1000000": func(c *gate.Config) { c.Gate.Radius = math.Inf(1) },
		"gate.size_range is [2, 1]: must be a pair [min, max] with min <= max, each > 0 and <= 1000000, or [0, 0] for the " +
			"default": func(c *gate.Config) {
			c.Gate.SizeRange = gate.Range{Min: 2, Max: 1}
		},
		`elevation.profile is "hilly": must be one of flat, uniform, random_walk, noise`: func(c *gate.Config) {
			c.Elevation.Profile = "hilly"
		},
		"elevation.max is 0: must be at least elevation.min (1)": func(c *gate.Config) { c.Elevation.Min = 1 },
		"elevation.noise_harmonics is 0: must be a whole number >= 1 and <= 1000": func(c *gate.Config) {
			c.Elevation.NoiseHarmonics = 0
		},
		"validity.max_grade is -0.1: must be a number > 0 and <= 1000000, or 0 for the default": func(c *gate.Config) {
			c.Validity.MaxGrade = -0.1
		},
		"validity.max_distance is 1: must be at least validity.min_distance (2)": func(c *gate.Config) {
			c.Validity.MinDistance, c.Validity.MaxDistance = 2, 1
		},
		"validity.max_turn is 0.5: must be at least validity.min_turn (1)": func(c *gate.Config) {
			c.Validity.MinTurn, c.Validity.MaxTurn = 1, 0.5
		},
		"num_envs is 8388608: must be at most 8388607 in one batch of this configuration": func(c *gate.Config) {
			c.Generator, c.NumEnvs = gate.Voronoi, 1<<23
		},
		"mix is empty: must be 1 to 64 components with the generator mixed": func(c *gate.Config) {
			c.Generator = gate.Mixed
		},
		`generator is "bezier": must be mixed, beside mix`: func(c *gate.Config) {
			c.Mix = []gate.Component{c.NewComponent(1, gate.Bezier)}
		},
		`mix[1].ordering is "random_pairs": must be one of ccw, raw with the generator polar`: func(c *gate.Config) {
			c.Mix = []gate.Component{c.NewComponent(1, gate.Bezier), c.NewComponent(1, gate.Polar)}
			c.Generator, c.Mix[1].Ordering = gate.Mixed, "random_pairs"
		},
		"mix[0].weight is 0: must be a number > 0 and <= 1000000": func(c *gate.Config) {
			c.Generator, c.Mix = gate.Mixed, []gate.Component{c.NewComponent(0, gate.Bezier)}
		},
	} {
		c := gate.DefaultConfig()
		change(&c)
		_, err := gate.NewGenerator(nil, c)
		var wrong *gate.ConfigError
		require.ErrorAs(t, err, &wrong, want)
		assert.ErrorIs(t, err, gate.ErrConfig)
		assert.EqualError(t, err, want)
	}
	_, err := gate.NewGenerator(nil, gate.Config{})
	assert.EqualError(t, err, "the configuration is without its defaults: must be one that began as DefaultConfig()")
}

// A value just inside of each range is accepted alone, and one outside is refused.
func TestRangesOfFields(t *testing.T) {
	for _, f := range gate.Fields() {
		is := f.Value(gate.DefaultConfig())
		if _, isText := is.(string); isText || f.Min == f.Max {
			continue
		}
		c := gate.DefaultConfig()
		switch is.(type) {
		case int, float64:
			require.NoError(t, f.Set(&c, f.Max+1))
			assert.ErrorContains(t, c.Validate(), f.Name+" is ")
			if f.Derived != "" && f.Min == 1 {
				continue // 0 stands for the default
			}
			require.NoError(t, f.Set(&c, f.Min-1))
			assert.ErrorContains(t, c.Validate(), f.Name+" is ")
		}
	}
}

// The names of the reference system lead to the fields.
func TestFieldOfReference(t *testing.T) {
	for reference, name := range map[string]string{"gate_width": "gate.width", "min_gates": "validity.min_gates",
		"z_profile": "elevation.profile", "gates.gate_align": "gate.align", "gate_solve_iters": "gate.separation_sweeps"} {
		f, ok := gate.FieldOfReference(reference)
		assert.True(t, ok, reference)
		assert.Equal(t, name, f.Name)
	}
	_, ok := gate.FieldOfReference("rad")
	assert.False(t, ok, "gate courses have no handles")
}

// The ordering is that of the generator unless it is set, in a mixed batch that of each component.
func TestDerivedOrdering(t *testing.T) {
	assert.Equal(t, "ccw", gate.DefaultConfig().Resolved().Ordering)
	assert.Equal(t, "raw", configOf(gate.Repulsive, 1).Resolved().Ordering)
	set := configOf(gate.Repulsive, 1, func(c *gate.Config) { c.Ordering = "ccw" })
	assert.Equal(t, "ccw", set.Resolved().Ordering)

	device, c := openCPU(t), quick(configOf(gate.Repulsive, 6))
	derived := bitsOf(generate(t, device, c))
	c.Ordering = "raw"
	assert.Equal(t, bitsOf(generate(t, device, c)), derived)
	mixed := quick(configOf(gate.Mixed, 6))
	mixed.Mix = []gate.Component{c.NewComponent(1, gate.Repulsive), c.NewComponent(1, gate.Bezier)}
	mixed.Mix[0].Ordering, mixed.Mix[1].Ordering = "", ""
	b := generate(t, device, mixed, gate.WithComponents([]int32{0, 0, 0, 0, 0, 0}))
	assert.Equal(t, bitsOf(generate(t, device, c), "component"), bitsOf(b, "component"))
}
