package track_test

import (
	"errors"
	"math"
	"reflect"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/trackgen-go/trackgen/backend"
	"github.com/trackgen-go/trackgen/track"
)

func TestFieldsMatchTheStruct(t *testing.T) {
	seen := map[string]bool{}
	for _, f := range track.Fields() {
		assert.False(t, seen[f.Name], "%s is listed twice", f.Name)
		seen[f.Name] = true
		assert.NotEmpty(t, f.Doc, f.Name)
		assert.NotEmpty(t, f.Section, f.Name)
		assert.NotEmpty(t, f.Allowed(), f.Name)
		assert.True(t, f.Default != nil || f.Auto != "", "%s has neither a default nor a way to derive it", f.Name)
		var c track.Config
		if f.Default != nil {
			require.NoError(t, f.Set(&c, f.Default), f.Name)
			assert.Equal(t, f.Default, f.Value(c), f.Name)
			assert.Equal(t, f.Default, f.Value(track.Config{}.WithDefaults()), f.Name)
		} else if f.Name != "spacing" {
			assert.Nil(t, f.Value(track.Config{}.WithDefaults()), f.Name)
		}
	}
	assert.Len(t, seen, reflect.TypeFor[track.Config]().NumField()-1, "every field of Config is listed, but Mix, which is a list of them")
}

func TestDefaults(t *testing.T) {
	c := track.Config{HalfWidth: 0.2}.WithDefaults()
	assert.InDelta(t, 0.12, c.Spacing, 1e-15)
	assert.Equal(t, 9, c.MinNumPoints)
	assert.Equal(t, 0.4, *c.Rad)
	assert.True(t, *c.RelaxEnable)
	assert.NoError(t, c.Validate(), "the defaults are valid")
	assert.Equal(t, c, c.WithDefaults(), "and stay as they are")
	assert.NoError(t, track.Config{Scale: 100, StyleSampling: true, ScaleRange: &track.Range{Min: 1, Max: 1}}.Validate(), "the range counts")
	assert.NoError(t, track.Config{MinNumPoints: 3, MaxNumPoints: 3, NMax: 30}.Validate(), "few corners make short loops")
	assert.Equal(t, 0.0, *track.Config{Rad: new(0.0)}.WithDefaults().Rad, "an explicit zero is kept")
}

// Each wrong field is named with its value and what is allowed.
func TestWrongConfigurations(t *testing.T) {
	inf, nan := math.Inf(1), math.NaN()
	for _, test := range []struct {
		config track.Config
		want   []string
	}{
		{track.Config{Generator: "spline"}, []string{`generator is "spline"`, "one of bezier, hull, polar, voronoi, checkpoint"}},
		{track.Config{NumEnvs: -1}, []string{"num_envs is -1", ">= 1"}},
		{track.Config{NumEnvs: 1 << 40}, []string{"num_envs is 1099511627776", "<= 16777216"}},
		{track.Config{NumEnvs: 1 << 23}, []string{"num_envs is 8388608", "in one batch"}},
		{track.Config{HalfWidth: -0.1}, []string{"half_width is -0.1", "> 0"}},
		{track.Config{HalfWidth: nan}, []string{"half_width is NaN", "> 0"}},
		{track.Config{HalfWidth: inf}, []string{"half_width is +Inf"}},
		{track.Config{MinPointDistance: 0.6}, []string{"min_point_distance is 0.6", "<= 0.5"}},
		{track.Config{MinPointDistance: 1e-5}, []string{"min_point_distance is 1e-05", ">= 2e-05"}}, // (1/2e-5)^2 cells are beyond int32
		{track.Config{Scale: 1e-46}, []string{"scale is 1e-46", "> 0"}},                             // is 0 in float32
		{track.Config{MinNumPoints: 1}, []string{"min_num_points is 1", ">= 2"}},
		{track.Config{MinNumPoints: 14}, []string{"max_num_points is 13", "at least min_num_points (14)"}},
		{track.Config{MaxNumPoints: 8}, []string{"max_num_points is 8", "at least min_num_points (9)"}},
		{track.Config{NMax: 12}, []string{"N_max is 12", "at least 34", "bezier loops", "spacing is 0.06"}},
		{track.Config{StyleSampling: true, ScaleRange: &track.Range{Min: 100, Max: 200}}, []string{"N_max is 384", "at least 3334", "scale 100"}},
		{track.Config{Generator: "polar", NMax: 12}, []string{"N_max is 12", "at least 48", "polar loops"}},
		{track.Config{RadRange: &track.Range{Min: 2, Max: 1}}, []string{"rad_range is [2, 1]", "min <= max"}},
		{track.Config{ScaleRange: &track.Range{Min: 0, Max: 1}}, []string{"scale_range is [0, 1]", "> 0"}},
		{track.Config{RadRange: &track.Range{Min: 0.1, Max: 0.4}}, []string{"rad_range is [0.1, 0.4]", "left out unless style_sampling is true"}},
		{track.Config{RelaxAccel: "Chebyshev"}, []string{`relax_accel is "Chebyshev"`, "chebyshev, none"}},
		{track.Config{RelaxChebyRho: new(1.0)}, []string{"relax_cheby_rho is 1", "< 1"}},
		{track.Config{RelaxSmoothPasses: new(-1)}, []string{"relax_smooth_passes is -1", ">= 0"}},
		{track.Config{RelaxBand: 400}, []string{"relax_band is 400", "at most N_max (384)"}},
		{track.Config{Generator: "hull", NMax: 12}, []string{"N_max is 12", "at least 34", "hull loops"}},
		{track.Config{HullDisplacement: new(-0.1)}, []string{"hull_displacement is -0.1", ">= 0"}},
		{track.Config{Generator: "voronoi", NMax: 12}, []string{"N_max is 12", "at least 48", "voronoi loops"}},
		{track.Config{VoronoiNumSites: 17}, []string{"voronoi_num_sites is 17", "at least voronoi_control_points (18)"}},
		{track.Config{VoronoiControlPoints: 5}, []string{"voronoi_control_points is 5", ">= 6"}},
		{track.Config{VoronoiLayout: "void"}, []string{`voronoi_layout is "void"`, "one of ring, void_ring, clustered, mixed"}},
		{track.Config{VoronoiRadialVariation: new(nan)}, []string{"voronoi_radial_variation is NaN", ">= 0"}},
		{track.Config{VoronoiAngularJitter: new(7.0)}, []string{"voronoi_angular_jitter is 7", "<= 6.28"}},
		{track.Config{CheckpointCount: 2}, []string{"checkpoint_count is 2", ">= 3"}},
		{track.Config{CheckpointRadiusMinFrac: new(1.0)}, []string{"checkpoint_radius_min_frac is 1", "< 1"}},
		{track.Config{CheckpointTurnRate: 4}, []string{"checkpoint_turn_rate is 4", "<= 3.14"}},
		{track.Config{CheckpointSteerGain: nan}, []string{"checkpoint_steer_gain is NaN", "> 0"}},
		{track.Config{CheckpointLookaheadFrac: new(inf)}, []string{"checkpoint_lookahead_frac is +Inf", "<= 10"}},
		{track.Config{CheckpointBestOfK: 65}, []string{"checkpoint_best_of_k is 65", "<= 64"}},
		{track.Config{PolarNumKnots: 3}, []string{"polar_num_knots is 3", ">= 4"}},
		{track.Config{Spacing: nan}, []string{"spacing is NaN"}},
		{track.Config{HalfWidth: -1, NMax: 1, Edgy: nan}, []string{"half_width is -1", "N_max is 1", "edgy is NaN"}},
	} {
		err := test.config.Validate()
		if !assert.Error(t, err, "%+v", test.config) {
			continue
		}
		assert.ErrorIs(t, err, track.ErrConfig)
		var first *track.ConfigError
		assert.True(t, errors.As(err, &first))
		for _, part := range test.want {
			assert.Contains(t, err.Error(), part)
		}
		_, err = track.NewGenerator(nil, test.config)
		assert.ErrorIs(t, err, track.ErrConfig, "before any device work")
	}
}

func TestFieldSetRefusesOtherTypes(t *testing.T) {
	for name, value := range map[string]any{
		"num_envs": 1.5, "half_width": "wide", "generator": 3, "relax_enable": 1, "rad_range": 0.5, "rad": true,
		"N_max": track.Range{Min: 1, Max: 2}, "scale": nil, "relax_iters": math.NaN(),
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
	zero, _ := track.FieldNamed("half_width")
	assert.ErrorIs(t, zero.Set(&track.Config{}, 0.0), track.ErrConfig, "an explicit zero is not the default")
}

// Whatever the numbers, a configuration is refused with an error that says why, or it generates.
func TestAnyConfigurationIsRefusedOrGenerates(t *testing.T) {
	device := open(t, backend.MemoryLimit(64<<20))
	number := rapid.OneOf(rapid.Float64Range(-1, 3), rapid.Float64(), rapid.SampledFrom([]float64{0, 1e-40, 1e-300, 1e6, math.Inf(-1), math.NaN()}))
	whole := rapid.OneOf(rapid.IntRange(-2, 70), rapid.SampledFrom([]int{math.MinInt, math.MaxInt, 1 << 31, 384, 385, 512, 1 << 16}))
	rapid.Check(t, func(t *rapid.T) {
		var c track.Config
		for _, f := range track.Fields() {
			if rapid.IntRange(0, 5).Draw(t, "set "+f.Name) != 0 || f.Name == "relax_iters" {
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
			if f.Name == "relax_band" {
				value = whole.Draw(t, f.Name)
			}
			_ = f.Set(&c, value) // what Set refuses stays unset
		}
		if c.NumEnvs > 2 {
			c.NumEnvs = 2
		}
		c.RelaxIters = rapid.IntRange(1, 12).Draw(t, "relax_iters")
		// Valid but slow settings are not what this test is about.
		if c.RelaxSmoothPasses != nil && *c.RelaxSmoothPasses > 100 || c.RelaxSmoothSpacingIters != nil && *c.RelaxSmoothSpacingIters > 100 || c.NMax > 1000 || c.NumPoints > 1000 {
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
