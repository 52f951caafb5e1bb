package track_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/trackgen-go/trackgen/kernel"
	"github.com/trackgen-go/trackgen/track"
	"github.com/trackgen-go/trackgen/track/tracktest"
)

// hilly lists the profiles that are not flat.
var hilly = []string{"uniform", "random_walk", "noise"}

// hills changes a configuration so that tracks have hills of a profile, from -0.3 to 0.5.
func hills(profile string) func(*track.Config) {
	return func(c *track.Config) {
		c.Road.Height = 0.1
		e := &c.Elevation
		e.Profile, e.Min, e.Max, e.MaxStep, e.NoiseAmplitude = profile, -0.3, 0.5, 0.6, 0.7
	}
}

// steepest returns the largest change of height of env e as a fraction of the way in plan view.
func steepest(b *track.Batch, e int) float64 {
	line, most := b.Points(b.Center, e), 0.0
	for i, p := range line {
		q := line[(i+1)%len(line)]
		most = max(most, math.Abs(float64(q.Z-p.Z))/math.Hypot(float64(q.X-p.X), float64(q.Y-p.Y)))
	}
	return most
}

// The three lines of a track with hills have one height at each point, the tangent and the lengths are those in space,
// and in plan view the track is the same as without hills.
func TestHills(t *testing.T) { // docs/spec/course.md, C-12 to C-14
	device := open(t)
	flat := generate(t, device, tracktest.Config(track.Bezier, 24))
	for _, profile := range hilly {
		b := generate(t, device, tracktest.Config(track.Bezier, 24, hills(profile)))
		require.NoError(t, b.CheckNumbers())
		assert.Equal(t, flat.Count, b.Count)
		assert.Equal(t, flat.Valid, b.Valid, "the lengths in space have no part in the tests of plan view")
		assert.Equal(t, bits(flat.Normal), bits(b.Normal))
		for e := range b.Envs {
			lowest, highest := checkHills(t, flat, b, e)
			assert.GreaterOrEqual(t, lowest, float32(-0.3))
			assert.LessOrEqual(t, highest, float32(0.5))
			assert.Greater(t, highest-lowest, float32(0.05), "%s, env %d", profile, e)
		}
	}
}

// checkHills compares env e with the same track without hills, and returns its lowest and its highest point.
func checkHills(t *testing.T, flat, b *track.Batch, e int) (lowest, highest float32) {
	t.Helper()
	n, row := int(b.Count[e]), e*b.NMax
	lowest, highest = b.Center[row].Z, b.Center[row].Z
	arc := 0.0
	for i := range n {
		p, next, before := b.Center[row+i], b.Center[row+(i+1)%n], b.Center[row+(i+n-1)%n]
		z := b.Height[row+i]
		lowest, highest = min(lowest, z), max(highest, z)
		require.Equal(t, [3]float32{z, z, z}, [3]float32{p.Z, b.Outer[row+i].Z, b.Inner[row+i].Z})
		for _, pair := range [][2]kernel.Vec3{{flat.Center[row+i], p}, {flat.Outer[row+i], b.Outer[row+i]},
			{flat.Inner[row+i], b.Inner[row+i]}} {
			require.Equal(t, [2]float32{pair[0].X, pair[0].Y}, [2]float32{pair[1].X, pair[1].Y})
		}
		require.InDelta(t, arc, b.Arclen[row+i], 1e-5)
		arc += float64(next.Sub(p).Len())
		d := next.Sub(before)
		require.InDelta(t, 0, b.Tangent[row+i].Sub(d.Scale(1/d.Len())).Len(), 1e-6)
	}
	require.InDelta(t, arc, b.Length[e], 1e-5)
	require.Greater(t, b.Length[e], flat.Length[e])
	for i := n; i < b.NMax; i++ {
		require.Equal(t, float32(0), b.Height[row+i], "padding")
	}
	return lowest, highest
}

// A walk returns to the height that it began with, and all profiles are continuous where the loop closes.
func TestHillsClose(t *testing.T) {
	b := generate(t, open(t), tracktest.Config(track.Bezier, 24, hills("random_walk"), func(c *track.Config) {
		c.Elevation.Min, c.Elevation.Max, c.Output.Spacing, c.Output.MaxPoints = -100, 100, 0.02, 700
	}))
	for e := range b.Envs {
		line := b.Points(b.Center, e)
		assert.Equal(t, float32(0.1), line[0].Z)
		assert.InDelta(t, line[0].Z, line[len(line)-1].Z, 0.1)
		assert.Less(t, steepest(b, e), 6.0)
	}
}

// Tracks whose road is too steep are not valid and say why; the limit is that of validity.max_grade.
func TestGradeLimit(t *testing.T) { // docs/spec/course.md, C-15
	device := open(t)
	config := tracktest.Config(track.Polar, 64, hills("random_walk"))
	free := generate(t, device, config)
	grades := make([]float64, free.Envs)
	for e := range grades {
		grades[e] = steepest(free, e)
	}
	config.Validity.MaxGrade = medianOf(grades) + 1e-4
	limited := generate(t, device, config)
	tooSteep := 0
	for e, grade := range grades {
		want := free.Reason[e]
		if grade > config.Validity.MaxGrade {
			want |= track.ReasonGrade
			tooSteep++
		}
		assert.Equal(t, want, limited.Reason[e], "env %d, grade %v", e, grade)
		assert.Equal(t, want == 0, limited.Valid[e] == 1)
	}
	assert.InDelta(t, 32, tooSteep, 2)
	assert.Equal(t, []string{"grade"}, track.ReasonGrade.Names())
}

// The draws of the heights have no part in those of the plan view, and each seed has its own.
func TestHillsFollowTheSeed(t *testing.T) {
	device := open(t)
	for _, profile := range hilly {
		b := generate(t, device, tracktest.Config(track.Bezier, 3, hills(profile)), track.WithSeeds([]int32{5, -9, 5}))
		assert.Equal(t, bits(b.Center[:b.NMax]), bits(b.Center[2*b.NMax:]), profile)
		assert.NotEqual(t, b.Height[:20], b.Height[b.NMax:b.NMax+20], profile)
	}
}

// Wrong settings of the heights are refused with the field, the value and what is allowed.
func TestWrongElevation(t *testing.T) { // docs/spec/course.md, C-16
	for want, change := range map[string]func(*track.Config){
		`elevation.profile is "hilly": must be one of flat, uniform, random_walk, noise`: func(c *track.Config) {
			c.Elevation.Profile = "hilly"
		},
		"elevation.max is 1: must be at least elevation.min (2)": func(c *track.Config) {
			c.Elevation.Min, c.Elevation.Max = 2, 1
		},
		"elevation.min is NaN: must be a number >= -1000000 and <= 1000000": func(c *track.Config) {
			c.Elevation.Min = math.NaN()
		},
		"elevation.max_step is -1: must be a number >= 0 and <= 1000000": func(c *track.Config) { c.Elevation.MaxStep = -1 },
		"elevation.noise_amplitude is -0.5: must be a number >= 0 and <= 1000000": func(c *track.Config) {
			c.Elevation.NoiseAmplitude = -0.5
		},
		"elevation.noise_harmonics is 0: must be a whole number >= 1 and <= 1000": func(c *track.Config) {
			c.Elevation.NoiseHarmonics = 0
		},
		"elevation.control_points is 2: must be a whole number >= 3 and <= 65536": func(c *track.Config) {
			c.Elevation.ControlPoints = 2
		},
		"elevation.control_points is 1000000: must be a whole number >= 3 and <= 65536": func(c *track.Config) {
			c.Elevation.ControlPoints = 1e6
		},
		"validity.max_grade is -0.1: must be a number > 0 and <= 1000000, or 0 for the default": func(c *track.Config) {
			c.Validity.MaxGrade = -0.1
		},
	} {
		config := tracktest.Config(track.Bezier, 1, hills("uniform"), change)
		err := config.Validate()
		require.ErrorIs(t, err, track.ErrConfig, want)
		assert.ErrorContains(t, err, want)
	}
	for _, knots := range []int{3, 65536} {
		config := tracktest.Config(track.Bezier, 1, hills("uniform"), func(c *track.Config) {
			c.Elevation.ControlPoints = knots
		})
		require.NoError(t, generate(t, open(t), config).CheckNumbers())
	}
	many := tracktest.Config(track.Bezier, 1<<20, hills("uniform"), func(c *track.Config) {
		c.Elevation.ControlPoints = 65536
	})
	assert.ErrorContains(t, many.Validate(), "num_envs is 1048576: must be at most 32767")
}

// randomHills draws settings of the heights from their whole ranges.
func randomHills(random *rand.Rand, c *track.Config) {
	any := func() float64 { return math.Pow(10, 12*random.Float64()-6) }
	signed := func() float64 { return any() * float64(random.IntN(3)-1) }
	e := &c.Elevation
	e.Profile = hilly[random.IntN(len(hilly))]
	c.Road.Height = signed()
	e.Min, e.Max = signed(), signed()
	e.Min, e.Max = min(e.Min, e.Max), max(e.Min, e.Max)
	e.MaxStep, e.NoiseAmplitude = any(), any()
	e.NoiseHarmonics, e.ControlPoints = 1+random.IntN(12), 3+random.IntN(60)
	if random.IntN(2) == 0 {
		c.Validity.MaxGrade = any()
	}
}

// searchHills checks random settings, a third of which are of mixed batches: no track has a number that is not finite,
// the heights stay in their range if the profile is uniform, and no valid track is too steep.
func searchHills(t *testing.T, configs, envs int) {
	device := open(t)
	valid := 0
	for n := range configs {
		random := rand.New(rand.NewPCG(15, uint64(n)))
		config := tracktest.Config(track.Bezier, envs)
		if n%3 == 0 {
			config.Candidates = 3
			for k, generator := range []string{track.Bezier, track.Hull, track.Voronoi, track.Checkpoint} {
				config.Mix = append(config.Mix, config.NewComponent(float64(k+1), generator))
			}
			config.Generator = track.Mixed
		} else if n%3 == 1 {
			config.Generator = track.Polar
		}
		config.Relax.Enabled, config.Road.HalfWidth = n%4 == 0, 0.05
		config.Output.LoopPoints = 64
		randomHills(random, &config)
		label := fmt.Sprintf("settings %d: %+v, grade %v", n, config.Elevation, config.Validity.MaxGrade)
		b := generate(t, device, config, track.WithSeed(random.Int32()))
		require.NoError(t, b.CheckNumbers(), label)
		for e := range b.Envs {
			if b.Valid[e] == 0 {
				continue
			}
			valid++
			for _, i := range []int{0, int(b.Count[e]) / 2, int(b.Count[e]) - 1} {
				at := e*b.NMax + i
				require.False(t, slices.ContainsFunc([]float32{b.Height[at], b.Arclen[at], b.Tangent[at].Z, b.Length[e]},
					kernel.IsNaN), label)
			}
			if limit := config.Validity.MaxGrade; limit > 0 {
				require.LessOrEqual(t, steepest(b, e), limit*(1+1e-3), label)
			}
		}
	}
	assert.Positive(t, valid)
	t.Logf("%d of %d tracks are valid", valid, configs*envs)
}

func TestRandomHills(t *testing.T) { searchHills(t, 40, 16) }
