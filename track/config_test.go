package track_test

import (
	"errors"
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/trackgen-go/trackgen/backend"
	"github.com/trackgen-go/trackgen/track"
)

// change has names of fields and their values, alternating; the values are not the defaults.
type change []any

// of returns the default configuration with the change.
func (changes change) of(t *testing.T) track.Config {
	t.Helper()
	c := track.DefaultConfig()
	for i := 0; i < len(changes); i += 2 {
		f, ok := track.FieldNamed(changes[i].(string))
		require.True(t, ok, changes[i])
		require.NoError(t, f.Set(&c, changes[i+1]))
	}
	return c
}

func TestFieldsMatchTheStruct(t *testing.T) {
	seen, formerly := map[string]bool{}, map[string]bool{}
	for _, f := range track.Fields() {
		assert.False(t, seen[f.Name], "%s is listed twice", f.Name)
		assert.False(t, f.Reference != "" && formerly[f.Reference], "%s is listed twice", f.Reference)
		seen[f.Name], formerly[f.Reference] = true, true
		assert.NotEmpty(t, f.Doc, f.Name)
		assert.NotEmpty(t, f.Allowed(), f.Name)
		inGroup := func(g track.Group) bool { return g.Name == f.Group() }
		assert.True(t, slices.ContainsFunc(track.Groups(), inGroup), f.Name)
		assert.NotEqual(t, f.Default != nil, f.Derived != "", "%s has either a default or a way to derive it", f.Name)
		if f.Default != nil {
			assert.Equal(t, f.Default, f.Value(track.DefaultConfig()), f.Name)
		} else {
			assert.True(t, f.IsDerived(track.DefaultConfig()), f.Name)
			assert.Equal(t, f.Name != "output.spacing", f.IsDerived(track.DefaultConfig().Resolved()), f.Name)
		}
	}
	assert.Len(t, seen, countFields(reflect.TypeFor[track.Config]())-1, "every field is listed, but Mix")
}

// countFields counts the fields of a struct, including the fields of its groups.
func countFields(of reflect.Type) int {
	n := 0
	for i := range of.NumField() {
		if field := of.Field(i).Type; field.Kind() == reflect.Struct && field != reflect.TypeFor[track.Range]() {
			n += countFields(field)
		} else {
			n++
		}
	}
	return n
}

// defaults lists the defaults of the reference system; a derived default has the zero value that stands for it.
var defaults = map[string]string{
	"generator":                        "bezier",
	"num_envs":                         "1",
	"candidates":                       "1",
	"scale":                            "1",
	"spline.samples_per_segment":       "30",
	"corners.min_count":                "9",
	"corners.max_count":                "13",
	"corners.half_cell_size":           "0.05",
	"bezier.handle_length":             "0.4",
	"bezier.handle_limit":              "0.4",
	"bezier.edginess":                  "0",
	"bezier.style_sampling":            "false",
	"bezier.handle_length_range":       "[0, 0]",
	"bezier.handle_limit_range":        "[0, 0]",
	"bezier.scale_range":               "[0, 0]",
	"hull.displacement":                "0.15",
	"polar.knots":                      "12",
	"polar.radial_jitter":              "0.6",
	"polar.angular_jitter":             "0.3",
	"voronoi.sites":                    "256",
	"voronoi.layout":                   "void_ring",
	"voronoi.control_points":           "18",
	"voronoi.radial_variation":         "0.62",
	"voronoi.angular_jitter":           "0.08",
	"checkpoint.count":                 "12",
	"checkpoint.min_radius":            "0.33",
	"checkpoint.angular_jitter":        "0.55",
	"checkpoint.turn_rate":             "0.42",
	"checkpoint.steering_gain":         "0.65",
	"checkpoint.lookahead":             "0.16",
	"checkpoint.best_of":               "4",
	"checkpoint.clip_crossings":        "false",
	"repulsive.min_growth":             "4.5",
	"repulsive.max_growth":             "5.5",
	"repulsive.wall_radius":            "0.35",
	"repulsive.wall_to_circle_ratio":   "4",
	"repulsive.min_obstacles":          "8",
	"repulsive.max_obstacles":          "12",
	"repulsive.min_obstacle_radius":    "0.02",
	"repulsive.max_obstacle_radius":    "0.045",
	"repulsive.drop_obstacles":         "true",
	"repulsive.growth_rate":            "0.012",
	"repulsive.alpha":                  "3",
	"repulsive.beta":                   "6",
	"repulsive.step_size":              "0.4",
	"repulsive.stages":                 "[]",
	"repulsive.settle_iterations":      "40",
	"repulsive.resample_every":         "25",
	"repulsive.horizon":                "0",
	"repulsive.stall_window":           "16",
	"repulsive.stall_area_tolerance":   "0.05",
	"variation.half_width_range":       "[0, 0]",
	"variation.random_direction":       "false",
	"variation.random_mirror":          "false",
	"road.half_width":                  "0.1",
	"road.height":                      "0",
	"elevation.profile":                "flat",
	"elevation.min":                    "0",
	"elevation.max":                    "0",
	"elevation.control_points":         "10",
	"elevation.max_step":               "0",
	"elevation.noise_amplitude":        "0",
	"elevation.noise_harmonics":        "3",
	"banking.profile":                  "none",
	"banking.factor":                   "0.05",
	"banking.max_angle":                "0.2",
	"banking.transition":               "0.5",
	"relax.enabled":                    "true",
	"relax.sweeps":                     "50",
	"relax.margin":                     "0.15",
	"relax.band":                       "0",
	"relax.acceleration":               "chebyshev",
	"relax.chebyshev_spectral_radius":  "0.98",
	"relax.chebyshev_under_relaxation": "0.9",
	"relax.chebyshev_start":            "8",
	"relax.separation_weight":          "1",
	"relax.spacing_weight":             "1",
	"relax.bending_weight":             "1.5",
	"relax.separation_search_every":    "20",
	"relax.separation_cache_slots":     "16",
	"relax.separation_cache_skin":      "0.5",
	"relax.smoothing_passes":           "5",
	"relax.spacing_sweeps":             "10",
	"output.loop_points":               "256",
	"output.spacing":                   "0",
	"output.max_points":                "384",
	"validity.turning_tolerance":       "0.1",
	"validity.thickness_tolerance":     "0.02",
	"validity.min_half_width":          "0.001",
	"validity.check_borders":           "false",
	"validity.max_grade":               "0",
}

// The defaults are those of the reference system: a different one would make different tracks.
func TestDefaults(t *testing.T) {
	for _, f := range track.Fields() {
		assert.Equal(t, defaults[f.Name], f.Text(track.DefaultConfig()), f.Name)
	}
	assert.NoError(t, track.DefaultConfig().Validate(), "the defaults are valid")
	resolved := change{"road.half_width", 0.2}.of(t).Resolved()
	assert.InDelta(t, 0.12, resolved.Output.Spacing, 1e-15)
	assert.Equal(t, resolved, resolved.Resolved())
	assert.NoError(t, resolved.Validate())
	for why, right := range map[string]change{
		"the range counts": {"scale", 100.0, "bezier.style_sampling", true, "bezier.scale_range",
			track.Range{Min: 1, Max: 1}},
		"few corners make short loops": {"corners.min_count", 3, "corners.max_count", 3, "output.max_points", 30},
		"zero is a value":              {"bezier.handle_length", 0.0, "relax.smoothing_passes", 0, "bezier.edginess", 0.0},
	} {
		assert.NoError(t, right.of(t).Validate(), why)
	}
}

// A configuration that did not start from the defaults gives one error, whatever else is wrong with it.
func TestConfigurationWithoutDefaults(t *testing.T) {
	for _, c := range []track.Config{{}, {NumEnvs: 3}, {FirstLoop: track.FirstLoop{Generator: track.Polar}, NumEnvs: 7}} {
		err := c.Validate()
		assert.ErrorIs(t, err, track.ErrConfig)
		assert.EqualError(t, err,
			"the configuration is without its defaults: must be one that began as DefaultConfig()")
		_, err = track.NewGenerator(nil, c)
		assert.ErrorIs(t, err, track.ErrConfig)
		_, err = track.Stages(c)
		assert.ErrorIs(t, err, track.ErrConfig)
		_, err = c.BytesPerEnv()
		assert.ErrorIs(t, err, track.ErrConfig)
		assert.NotPanics(t, func() { _, _ = c.MaxEnvs(), c.Components() })
	}
}

// A track that remembers more close points than an int32 can count is refused by the name of the setting.
func TestTooManyClosePoints(t *testing.T) {
	c := track.DefaultConfig()
	c.Output.MaxPoints, c.Relax.SeparationCacheSlots = 65536, 32768
	assert.EqualError(t, c.Validate(),
		"relax.separation_cache_slots is 32768: must be at most 32767 with output.max_points 65536")
	c.Relax.SeparationCacheSlots = 32767
	assert.NoError(t, c.Validate())
	assert.Equal(t, 1, c.MaxEnvs())
}

// The error names each wrong field, its value and what is allowed.
func TestWrongConfigurations(t *testing.T) {
	inf, nan := math.Inf(1), math.NaN()
	for _, test := range []struct {
		change
		want []string
	}{
		{change{"generator", "spline"},
			[]string{`generator is "spline"`, "one of bezier, hull, polar, voronoi, checkpoint"}},
		{change{"num_envs", -1}, []string{"num_envs is -1", ">= 1"}},
		{change{"num_envs", 1 << 40}, []string{"num_envs is 1099511627776", "<= 16777216"}},
		{change{"num_envs", 1 << 23}, []string{"num_envs is 8388608", "in one batch"}},
		{change{"road.half_width", -0.1}, []string{"road.half_width is -0.1", "> 0"}},
		{change{"road.half_width", nan}, []string{"road.half_width is NaN", "> 0"}},
		{change{"road.half_width", inf}, []string{"road.half_width is +Inf"}},
		{change{"corners.half_cell_size", 0.6}, []string{"corners.half_cell_size is 0.6", "<= 0.5"}},
		{change{"corners.half_cell_size", 1e-5},
			[]string{"corners.half_cell_size is 1e-05", ">= 2e-05"}}, // (1/2e-5)^2 cells exceed int32
		{change{"scale", 1e-46},
			[]string{"scale is 1e-46", "a number other than 0"}}, // 0 in float32
		{change{"scale", 0.0}, []string{"scale is 0", "other than 0, >= -1000000 and <= 1000000"}},
		{change{"scale", -100.0}, []string{"output.max_points is 384", "at least 3334", "scale -100"}},
		{change{"corners.min_count", 1}, []string{"corners.min_count is 1", ">= 2"}},
		{change{"corners.min_count", 14}, []string{"corners.max_count is 13", "at least corners.min_count (14)"}},
		{change{"corners.max_count", 8}, []string{"corners.max_count is 8", "at least corners.min_count (9)"}},
		{change{"output.max_points", 12},
			[]string{"output.max_points is 12", "at least 34", "bezier loops", "output.spacing is 0.06"}},
		{change{"bezier.style_sampling", true, "bezier.scale_range", track.Range{Min: 100, Max: 200}},
			[]string{"output.max_points is 384", "at least 3334", "scale 100"}},
		{change{"generator", "polar", "output.max_points", 12},
			[]string{"output.max_points is 12", "at least 48", "polar loops"}},
		{change{"bezier.handle_length_range", track.Range{Min: 2, Max: 1}},
			[]string{"bezier.handle_length_range is [2, 1]", "min <= max"}},
		{change{"bezier.scale_range", track.Range{Min: 0, Max: 1}}, []string{"bezier.scale_range is [0, 1]", "> 0"}},
		{change{"bezier.handle_length_range", track.Range{Min: 0.1, Max: 0.4}},
			[]string{"bezier.handle_length_range is [0.1, 0.4]", "left out unless bezier.style_sampling is true"}},
		{change{"relax.acceleration", "Chebyshev"}, []string{`relax.acceleration is "Chebyshev"`, "chebyshev, none"}},
		{change{"relax.chebyshev_spectral_radius", 1.0}, []string{"relax.chebyshev_spectral_radius is 1", "< 1"}},
		{change{"relax.smoothing_passes", -1}, []string{"relax.smoothing_passes is -1", ">= 0"}},
		{change{"relax.band", -2}, []string{"relax.band is -2", ">= -1"}},
		{change{"relax.sweeps", -1}, []string{"relax.sweeps is -1", ">= 0"}},
		{change{"relax.margin", -1.1}, []string{"relax.margin is -1.1", ">= -1"}},
		{change{"validity.thickness_tolerance", nan}, []string{"validity.thickness_tolerance is NaN"}},
		{change{"generator", "hull", "output.max_points", 12},
			[]string{"output.max_points is 12", "at least 34", "hull loops"}},
		{change{"hull.displacement", -11}, []string{"hull.displacement is -11", ">= -10"}},
		{change{"generator", "voronoi", "output.max_points", 12},
			[]string{"output.max_points is 12", "at least 48", "voronoi loops"}},
		{change{"voronoi.sites", 17}, []string{"voronoi.sites is 17", "at least voronoi.control_points (18)"}},
		{change{"voronoi.control_points", 5}, []string{"voronoi.control_points is 5", ">= 6"}},
		{change{"voronoi.layout", "void"},
			[]string{`voronoi.layout is "void"`, "one of ring, void_ring, clustered, mixed"}},
		{change{"voronoi.radial_variation", nan}, []string{"voronoi.radial_variation is NaN", ">= 0"}},
		{change{"voronoi.angular_jitter", 7.0}, []string{"voronoi.angular_jitter is 7", "<= 6.28"}},
		{change{"checkpoint.count", 2}, []string{"checkpoint.count is 2", ">= 3"}},
		{change{"checkpoint.min_radius", 1.0}, []string{"checkpoint.min_radius is 1", "< 1"}},
		{change{"checkpoint.turn_rate", 4}, []string{"checkpoint.turn_rate is 4", "<= 3.14"}},
		{change{"checkpoint.steering_gain", nan}, []string{"checkpoint.steering_gain is NaN", ">= 0"}},
		{change{"checkpoint.turn_rate", -0.1}, []string{"checkpoint.turn_rate is -0.1", ">= 0"}},
		{change{"checkpoint.lookahead", inf}, []string{"checkpoint.lookahead is +Inf", "<= 10"}},
		{change{"checkpoint.best_of", 4097}, []string{"checkpoint.best_of is 4097", "<= 4096"}},
		{change{"polar.knots", -1}, []string{"polar.knots is -1", ">= 0"}},
		{change{"output.spacing", nan}, []string{"output.spacing is NaN"}},
		{change{"road.half_width", -1, "output.max_points", 1, "bezier.edginess", nan},
			[]string{"road.half_width is -1", "output.max_points is 1", "bezier.edginess is NaN"}},
	} {
		config := test.of(t)
		err := config.Validate()
		if !assert.Error(t, err, "%v", test.change) {
			continue
		}
		assert.ErrorIs(t, err, track.ErrConfig)
		var first *track.ConfigError
		assert.True(t, errors.As(err, &first))
		for _, part := range test.want {
			assert.Contains(t, err.Error(), part)
		}
		_, err = track.NewGenerator(nil, config)
		assert.ErrorIs(t, err, track.ErrConfig, "before any device work")
	}
}

func TestFieldSetRefusesOtherTypes(t *testing.T) {
	for name, value := range map[string]any{
		"num_envs": 1.5, "road.half_width": "wide", "generator": 3, "relax.enabled": 1,
		"bezier.handle_length_range": 0.5, "bezier.handle_length": true, "repulsive.stages": 64,
		"output.max_points": track.Range{Min: 1, Max: 2}, "scale": nil, "relax.sweeps": math.NaN(),
	} {
		f, ok := track.FieldNamed(name)
		require.True(t, ok, name)
		var c track.Config
		err := f.Set(&c, value)
		assert.ErrorIs(t, err, track.ErrConfig, name)
		assert.True(t, strings.HasPrefix(err.Error(), name+" is "), err.Error())
	}
	_, ok := track.FieldNamed("half-width")
	assert.False(t, ok)
}

// Any configuration either generates or is refused with an error that gives the reason.
func TestAnyConfigurationIsRefusedOrGenerates(t *testing.T) {
	device := open(t, backend.MemoryLimit(64<<20))
	number := rapid.OneOf(rapid.Float64Range(-1, 3), rapid.Float64(),
		rapid.SampledFrom([]float64{0, 1e-40, 1e-300, 1e6, math.Inf(-1), math.NaN()}))
	whole := rapid.OneOf(rapid.IntRange(-2, 70), rapid.SampledFrom(
		[]int{math.MinInt, math.MaxInt, 1 << 31, 384, 385, 512, 1 << 16}))
	rapid.Check(t, func(t *rapid.T) {
		c := track.DefaultConfig()
		for _, f := range track.Fields() {
			if rapid.IntRange(0, 5).Draw(t, "set "+f.Name) != 0 || f.Name == "relax.sweeps" {
				continue
			}
			var value any
			switch f.Default.(type) {
			case int:
				value = whole.Draw(t, f.Name)
			case bool:
				value = rapid.Bool().Draw(t, f.Name)
			case string:
				value = rapid.SampledFrom(f.Choices).Draw(t, f.Name)
			default:
				if strings.HasSuffix(f.Name, "_range") {
					value = track.Range{Min: number.Draw(t, "min"), Max: number.Draw(t, "max")}
				} else {
					value = number.Draw(t, f.Name)
				}
			}
			if f.Name == "relax.band" {
				value = whole.Draw(t, f.Name)
			}
			_ = f.Set(&c, value) // a value that Set refuses changes nothing
		}
		if c.NumEnvs > 2 {
			c.NumEnvs = 2
		}
		c.Relax.Sweeps = rapid.IntRange(1, 12).Draw(t, "relax.sweeps")
		// Valid but slow settings are skipped.
		if max(c.Relax.SmoothingPasses, c.Relax.SpacingSweeps) > 100 || max(c.Output.MaxPoints, c.Output.LoopPoints) > 1000 {
			t.Skip("slow")
		}
		generator, err := track.NewGenerator(device, c)
		if err != nil {
			require.True(t, errors.Is(err, track.ErrConfig) || errors.Is(err, backend.ErrOutOfMemory), "%v", err)
			return
		}
		batch, err := generator.Track().Batch(t.Context())
		require.NoError(t, err)
		for e := range batch.Envs {
			require.Equal(t, batch.Reason[e] == 0, batch.Valid[e] == 1)
			require.LessOrEqual(t, int(batch.Count[e]), batch.NMax)
			for _, p := range batch.Points(batch.Center, e) {
				if batch.Valid[e] == 1 {
					require.False(t, math.IsNaN(float64(p.X)) || math.IsInf(float64(p.Y), 0))
				}
			}
		}
		require.NoError(t, generator.Close())
	})
}
