package track

import (
	"math"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/trackgen-go/trackgen/backend"
	"github.com/trackgen-go/trackgen/kernel"
)

// This file is about values of settings that are unusual and have a meaning: the reference system takes them, and so
// does this one.

// unusual returns configurations with such values, few envs and few points.
func unusual() map[string]Config {
	c := func(generator string, change func(*Config)) Config {
		return configOf(generator, 6, func(c *Config) { c.Output.LoopPoints = 96 }, change)
	}
	return map[string]Config{
		"relax.sweeps 0":               c(Bezier, func(c *Config) { c.Relax.Sweeps = 0 }),
		"relax.sweeps 0, large":        c(Bezier, func(c *Config) { c.Relax.Sweeps, c.Output.MaxPoints = 0, 400 }),
		"relax.margin -0.5":            c(Bezier, func(c *Config) { c.Relax.Margin = -0.5 }),
		"relax.margin -1":              c(Bezier, func(c *Config) { c.Relax.Margin = -1 }),
		"relax.band 5":                 c(Bezier, func(c *Config) { c.Relax.Band = 5 }),
		"relax.band 1000":              c(Bezier, func(c *Config) { c.Relax.Band = 1000 }),
		"relax.band -1":                c(Bezier, func(c *Config) { c.Relax.Band = -1 }),
		"relax.separation_weight -0.5": c(Bezier, func(c *Config) { c.Relax.SeparationWeight = -0.5 }),
		"relax.separation_cache_slots 100": c(Hull, func(c *Config) {
			c.Relax.SeparationCacheSlots, c.Relax.Sweeps = 100, 12
		}),
		"validity.thickness_tolerance 1.5": c(Hull, func(c *Config) { c.Validity.ThicknessTolerance = 1.5 }),
		"validity.thickness_tolerance -1":  c(Hull, func(c *Config) { c.Validity.ThicknessTolerance = -1 }),
		"bezier.handle_length -0.4":        c(Bezier, func(c *Config) { c.Bezier.HandleLength = -0.4 }),
		"hull.displacement -0.3":           c(Hull, func(c *Config) { c.Hull.Displacement = -0.3 }),
		"polar.knots 2":                    c(Polar, func(c *Config) { c.Polar.Knots = 2 }),
		"polar.radial_jitter 2":            c(Polar, func(c *Config) { c.Polar.RadialJitter, c.Polar.AngularJitter = 2, 1 }),
		"scale -1, bezier":                 c(Bezier, func(c *Config) { c.Scale = -1 }),
		"scale -1, voronoi":                c(Voronoi, func(c *Config) { c.Scale = -1 }),
		"scale -1, repulsive": c(Repulsive, func(c *Config) {
			c.Scale, c.Repulsive.MinGrowth, c.Repulsive.MaxGrowth, c.Repulsive.GrowthRate = -1, 1.5, 2, 0.1
		}),
		"repulsive.alpha, beta": c(Repulsive, func(c *Config) {
			c.Repulsive.MinGrowth, c.Repulsive.MaxGrowth, c.Repulsive.GrowthRate = 1.5, 2, 0.1
			c.Repulsive.Alpha, c.Repulsive.Beta, c.Output.LoopPoints = 2, 4.5, 64
		}),
		"checkpoint.steering_gain 0": c(Checkpoint, func(c *Config) { c.Checkpoint.SteeringGain = 0 }),
		"checkpoint.turn_rate 0":     c(Checkpoint, func(c *Config) { c.Checkpoint.TurnRate = 0 }),
		"checkpoint.best_of 70":      c(Checkpoint, func(c *Config) { c.Checkpoint.BestOf, c.Output.LoopPoints = 70, 32 }),
		"checkpoint.clip_crossings": c(Checkpoint, func(c *Config) {
			c.Checkpoint.ClipCrossings, c.Checkpoint.BestOf, c.Checkpoint.Count, c.Checkpoint.MinRadius = true, 1, 16, 0.1
		}),
	}
}

// Unusual values give tracks, the same ones in every order of the work.
func TestUnusualValues(t *testing.T) {
	device := openCPU(t)
	debugged, err := backend.Open("cpu", backend.Debug(true), backend.DebugSeed(3))
	require.NoError(t, err)
	defer func() { require.NoError(t, debugged.Close()) }()
	for name, c := range unusual() {
		batch := batchOf(t, device, c)
		assert.Equal(t, bitsOf(t, batch), bitsOf(t, batchOf(t, debugged, c)), name)
		for e := range batch.Envs {
			assert.Positive(t, batch.Count[e], "%s, env %d", name, e)
			assert.Zero(t, batch.Reason[e]&(ReasonEmpty|ReasonNotFinite|ReasonWidth), "%s, env %d", name, e)
		}
	}
}

// pointsOf returns an output of a generation with one vector for each point.
func pointsOf(t *testing.T, c Config, name string) []kernel.Vec2 {
	t.Helper()
	g, err := NewGenerator(openCPU(t), c)
	require.NoError(t, err)
	defer func() { require.NoError(t, g.Close()) }()
	points, err := outputOf[kernel.Vec2](g, name).Read(t.Context())
	require.NoError(t, err)
	return points
}

// Two ways to say the same thing give the same points.
func TestUnusualValuesByOtherWords(t *testing.T) {
	bezier := func(changes ...func(*Config)) Config { return configOf(Bezier, 8, changes...) }
	polar := func(knots int, radial, angular float64) Config {
		return configOf(Polar, 8, func(c *Config) {
			c.Polar.Knots, c.Polar.RadialJitter, c.Polar.AngularJitter = knots, radial, angular
		})
	}
	weights := func(separation, bending float64) func(*Config) {
		return func(c *Config) { c.Relax.SeparationWeight, c.Relax.BendingWeight = separation, bending }
	}
	band := func(n int) func(*Config) { return func(c *Config) { c.Relax.Band = n } }
	margin := func(m float64) func(*Config) { return func(c *Config) { c.Relax.Margin = m } }
	slots := func(n int) Config {
		return configOf(Hull, 8, func(c *Config) {
			c.Relax.SeparationCacheSlots, c.Road.HalfWidth, c.Output.Spacing, c.Relax.Sweeps = n, 0.2, 0.04, 10
		})
	}
	for name, test := range map[string]struct {
		output  string
		a, b    Config
		unequal bool
	}{
		"a margin of -1 pushes and bends nothing": {output: relaxedOutput, a: bezier(margin(-1)), b: bezier(weights(0, 0))},
		"half of the distance": {output: relaxedOutput, a: bezier(margin(-0.5), band(3)),
			b: bezier(margin(0), band(3), func(c *Config) { c.Road.HalfWidth, c.Output.Spacing = 0.05, 0.06 })},
		"all points are neighbours": {output: relaxedOutput, a: bezier(band(1000)), b: bezier(weights(0, 1.5))},
		"knots":                     {output: LoopOutput, a: polar(0, 0.6, 0.3), b: polar(4, 0.6, 0.3)},
		"jitter":                    {output: LoopOutput, a: polar(12, 7, 0.9), b: polar(12, 0.85, 0.45)},
		"slots for all":             {output: relaxedOutput, a: slots(384), b: slots(65536)},
		"slots for few":             {output: relaxedOutput, a: slots(16), b: slots(65536), unequal: true},
	} {
		a, b := pointsOf(t, test.a, test.output), pointsOf(t, test.b, test.output)
		if test.unequal {
			assert.NotEqual(t, a, b, name)
		} else {
			assert.Equal(t, a, b, name)
		}
	}
}

// A negative scale turns loops by half a turn, with every generator.
func TestNegativeScale(t *testing.T) {
	for _, name := range []string{Polar, Voronoi, Checkpoint, Repulsive} {
		loop := func(scale float64) []kernel.Vec2 {
			return pointsOf(t, configOf(name, 4, func(c *Config) {
				c.Scale, c.Output.LoopPoints = scale, 64
				c.Repulsive.MinGrowth, c.Repulsive.MaxGrowth, c.Repulsive.GrowthRate = 1.5, 2, 0.1
			}), LoopOutput)
		}
		positive, negative := loop(1.5), loop(-1.5)
		for i, p := range positive {
			require.Equal(t, kernel.V2(0-p.X, 0-p.Y), negative[i], "%s, point %d", name, i)
		}
	}
}

// With a negative weight points that are too close move together by as much as they would move apart.
func TestNegativeSeparationWeight(t *testing.T) { // docs/spec/pipeline.md, section 6
	relaxed := func(weight float64) []kernel.Vec2 {
		return pointsOf(t, configOf(Bezier, 8, func(c *Config) {
			c.Relax.SeparationWeight, c.Relax.Sweeps, c.Relax.SmoothingPasses, c.Relax.SpacingSweeps = weight, 1, 0, 0
		}), relaxedOutput)
	}
	without, apart, together := relaxed(0), relaxed(1), relaxed(-1)
	moved := 0.0
	for i, p := range without {
		push, pull := apart[i].Sub(p), together[i].Sub(p)
		assert.InDelta(t, 0, push.Add(pull).Len(), 1e-6, "point %d", i)
		moved = max(moved, float64(push.Len()))
	}
	assert.Greater(t, moved, 0.01)
}

// With a band of -1 each point is pushed by all others that are too close, also by its neighbours.
func TestNeighboursPush(t *testing.T) { // docs/spec/pipeline.md, section 6
	c := configOf(Bezier, 4, func(c *Config) {
		c.Relax.Band, c.Relax.Sweeps, c.Relax.SmoothingPasses, c.Relax.SpacingSweeps = -1, 1, 0, 0
		c.Relax.SpacingWeight, c.Relax.BendingWeight, c.Relax.SeparationSearchEvery = 0, 0, 1
	})
	spaced, relaxed := pointsOf(t, c, spacedOutput), pointsOf(t, c, relaxedOutput)
	batch := batchOf(t, openCPU(t), c)
	for e := range c.NumEnvs {
		at := func(points []kernel.Vec2, i int) point {
			p := points[e*c.Output.MaxPoints+i]
			return point{float64(p.X), float64(p.Y)}
		}
		for i := range int(batch.Count[e]) {
			push, hits := point{}, 0.0
			for j := range int(batch.Count[e]) {
				d := at(spaced, i).minus(at(spaced, j))
				if i != j && d.length() < 0.23 {
					push, hits = push.plus(d.times((0.23-d.length())/(2*d.length()))), hits+1
				}
			}
			require.GreaterOrEqual(t, hits, 2.0)
			want := at(spaced, i).plus(push.times(1 / hits))
			require.Less(t, at(relaxed, i).minus(want).length(), 1e-5, "env %d, point %d", e, i)
		}
	}
}

// Without sweeps the relaxation smooths and spaces the points.
func TestWithoutSweeps(t *testing.T) { // docs/spec/pipeline.md, section 6
	c := configOf(Bezier, 4, func(c *Config) { c.Relax.Sweeps = 0 })
	spaced, relaxed := pointsOf(t, c, spacedOutput), pointsOf(t, c, relaxedOutput)
	batch := batchOf(t, openCPU(t), c)
	for e := range c.NumEnvs {
		n := int(batch.Count[e])
		x := make([]point, n)
		for i := range x {
			p := spaced[e*c.Output.MaxPoints+i]
			x[i] = point{float64(p.X), float64(p.Y)}
		}
		rest := perimeter(x) / float64(n)
		swept := func(move func(before, p, after point) point) {
			next := make([]point, n)
			for i, p := range x {
				next[i] = p.plus(move(x[(i+n-1)%n], p, x[(i+1)%n]))
			}
			x = next
		}
		for range 5 {
			for _, f := range []float64{0.5, -0.53} {
				swept(func(before, p, after point) point { return before.plus(after).times(0.5).minus(p).times(f) })
			}
		}
		edge := func(d point) point { return d.times(0.25 * (d.length() - rest) / d.length()) }
		for range 10 {
			swept(func(before, p, after point) point { return edge(after.minus(p)).minus(edge(p.minus(before))) })
		}
		for i, want := range x {
			got := relaxed[e*c.Output.MaxPoints+i]
			require.Less(t, point{float64(got.X), float64(got.Y)}.minus(want).length(), 1e-5, "env %d, point %d", e, i)
		}
	}
}

// The validity test tells near points along the loop from far ones by its own band, whatever that of the relaxation is.
// The numbers of valid tracks are those of the reference system.
func TestBandOfValidity(t *testing.T) { // docs/spec/pipeline.md, section 8
	for band, want := range map[int]int32{0: 32, 1: 15, 5: 3} {
		batch := batchOf(t, openCPU(t), configOf(Bezier, 32, func(c *Config) { c.Relax.Band = band }))
		valid := int32(0)
		for _, v := range batch.Valid {
			valid += v
		}
		assert.Equal(t, want, valid, "band %d", band)
	}
	// With points 0.05 apart the automatic band is 4 neighbours and not 3, since the road is 0.2 wide.
	batch := batchOf(t, openCPU(t), configOf(Bezier, 8, func(c *Config) { c.Output.Spacing = 0.05 }))
	assert.Equal(t, slices.Repeat([]int32{1}, 8), batch.Valid)
}

// A tolerance of 1 or more accepts any thickness; a negative one asks for more than the half width.
func TestThicknessTolerance(t *testing.T) { // docs/spec/pipeline.md, section 8
	const thin = ReasonCurvature | ReasonSeparation
	reasons := func(tolerance float64) (*Batch, int) {
		batch := batchOf(t, openCPU(t), configOf(Hull, 32, func(c *Config) {
			c.Relax.Sweeps, c.Validity.ThicknessTolerance = 6, tolerance
		}))
		failed := 0
		for _, r := range batch.Reason {
			if r&thin != 0 {
				failed++
			}
		}
		return batch, failed
	}
	batch, some := reasons(0.02)
	assert.Positive(t, some)
	for _, tolerance := range []float64{1, 2.5, 10} {
		_, failed := reasons(tolerance)
		assert.Zero(t, failed, "tolerance %v", tolerance)
	}
	for _, tolerance := range []float64{-0.1, -0.6} {
		strict, failed := reasons(tolerance)
		assert.Greater(t, failed, some, "tolerance %v", tolerance)
		for e := range batch.Envs {
			sharpest := 0.0
			center := batch.Points(batch.Center, e)
			n := len(center)
			at := func(i int) point { p := center[(i+n)%n]; return point{float64(p.X), float64(p.Y)} }
			for i := range center {
				in, out, across := at(i).minus(at(i-1)), at(i+1).minus(at(i)), at(i+1).minus(at(i-1))
				sharpest = max(sharpest, 2*math.Abs(in.cross(out))/(in.length()*out.length()*across.length()))
			}
			want := sharpest*0.1*(1-tolerance) > 1
			assert.Equal(t, want, strict.Reason[e]&ReasonCurvature != 0, "env %d: the least radius is %v", e, 1/sharpest)
		}
	}
}
