package gate_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/trackgen-go/trackgen/gate"
	"github.com/trackgen-go/trackgen/kernel"
)

// pick returns one of a list.
func pick[T any](r *rand.Rand, list ...T) T { return list[r.IntN(len(list))] }

// randomSource sets the generator and its settings at random. At most 32 gates are drawn.
func randomSource(r *rand.Rand, c *gate.Config) {
	c.Generator = pick(r, gate.Bezier, gate.Hull, gate.Polar, gate.Voronoi, gate.Checkpoint)
	if r.IntN(40) == 0 { // it takes a hundred times as long
		c.Generator = gate.Repulsive
	}
	c.Scale = pick(r, 0, 1, 1, 1, 1, -1, 1e-6, 30, 1e6)
	c.Corners.MaxCount = 2 + r.IntN(30)
	c.Corners.MinCount = 2 + r.IntN(c.Corners.MaxCount-1)
	c.Corners.HalfCellSize = pick(r, 0.05, 0.5, 0.1)
	c.Polar.Knots = r.IntN(32)
	c.Polar.RadialJitter, c.Polar.AngularJitter = pick(r, 0, 0.6, 10), pick(r, 0, 0.3, 10)
	c.Voronoi.ControlPoints = 3 + r.IntN(29)
	c.Voronoi.Sites = c.Voronoi.ControlPoints + r.IntN(40)
	c.Voronoi.Layout = pick(r, "ring", "void_ring", "clustered", "mixed")
	c.Voronoi.AngularJitter, c.Voronoi.RadialVariation = pick(r, 0, 0.08, 2*math.Pi), pick(r, 0, 0.62, 10)
	c.Checkpoint.Count, c.Checkpoint.MinRadius = 3+r.IntN(29), pick(r, 0, 0.33, 0.99)
	c.Repulsive.MaxCount = 3 + r.IntN(29)
	c.Repulsive.MinCount = 2 + r.IntN(c.Repulsive.MaxCount-1)
	*c = quick(*c)
	c.Ordering = pick(r, "ccw", "raw")
	if c.Ordering == "raw" && (c.Generator == gate.Bezier || c.Generator == gate.Hull) {
		c.Ordering = "random_pairs"
	}
}

// random returns a random configuration, most of whose courses are hostile: crowded, steep, wide or in one place. A
// quarter are mixed batches.
func random(r *rand.Rand, envs int) gate.Config {
	c := configOf(gate.Bezier, envs)
	randomSource(r, &c)
	if r.IntN(4) == 0 {
		for range 1 + r.IntN(4) {
			randomSource(r, &c)
			c.Mix = append(c.Mix, c.NewComponent(0.1+r.Float64(), c.Generator))
		}
		c.Generator = gate.Mixed
	}
	c.Candidates = pick(r, 1, 1, 2, 3)
	c.Gate.Radius, c.Gate.Width = pick(r, 0, 0.025, 0.025, 0.3, 1e6), pick(r, 0, 0, 0.1, 1, 1e6)
	c.Gate.SizeRange = pick(r, gate.Range{}, gate.Range{}, gate.Range{Min: 0.2, Max: 3}, gate.Range{Min: 1e-6, Max: 1e6})
	c.Gate.SeparationSweeps = r.IntN(12)
	c.Gate.Align = pick(r, "yaw_only", "full_tangent")
	c.Elevation.Profile = pick(r, "flat", "uniform", "random_walk", "noise")
	c.Elevation.Base = pick(r, 0, 1, -1e6)
	c.Elevation.Max = pick(r, 0, 0.5, 1e6)
	c.Elevation.Min = c.Elevation.Max - pick(r, 0, 1, 1e6)
	c.Elevation.MaxStep, c.Elevation.NoiseAmplitude = pick(r, 0, 1, 1e6), pick(r, 0, 1, 1e6)
	c.Elevation.NoiseHarmonics = pick(r, 1, 3, 8, 50)
	c.Validity.MinGates = 2
	c.Validity.MaxGrade, c.Validity.MaxTurn = pick(r, 0, 0, 0.5, 1e6), pick(r, 0, 0, 0, 0.01, 1)
	c.Validity.MinTurn = pick(r, 0, 0, 0, 0.01)
	c.Validity.MinDistance = pick(r, 0, 0, 0, 0.05)
	c.Validity.MaxDistance = pick(r, 0, 0, 0, 2.0)
	return c
}

// checkCourses checks what every batch promises.
func checkCourses(t *testing.T, c gate.Config, b *gate.Batch) {
	t.Helper()
	finite := func(list ...float32) bool {
		for _, v := range list {
			if math.IsNaN(float64(v)) || math.IsInf(float64(v), 0) {
				return false
			}
		}
		return true
	}
	for e := range b.Envs {
		require.Equal(t, b.Reason[e] == 0, b.Valid[e] == 1, "env %d: %v", e, b.Reason[e])
		for k := range b.MaxGates {
			i := e*b.MaxGates + k
			p, f, l, r, q := b.Position[i], b.Forward[i], b.Left[i], b.Right[i], b.Orientation[i]
			if k >= int(b.Count[e]) {
				require.True(t, kernel.IsNaN(p.X) && kernel.IsNaN(l.Z) && kernel.IsNaN(q.W) && kernel.IsNaN(b.HalfSize[i]))
				continue
			}
			if b.Valid[e] == 0 {
				continue
			}
			tangent := b.Tangent[i]
			require.True(t, finite(p.X, p.Y, p.Z, f.X, f.Y, f.Z, l.X, l.Y, l.Z, r.X, r.Y, r.Z, q.X, q.Y, q.Z, q.W,
				tangent.X, tangent.Y, tangent.Z, b.HalfSize[i]), "env %d, gate %d of %+v", e, k, c)
			require.InDelta(t, 1, float64(f.Len()), 1e-5)
			require.InDelta(t, 1, math.Sqrt(float64(q.X*q.X+q.Y*q.Y+q.Z*q.Z+q.W*q.W)), 1e-5)
			if c.Gate.Align == "yaw_only" {
				require.Zero(t, f.Z, "env %d, gate %d of %+v", e, k, c)
			}
			size := c.Gate.SizeRange
			if size == (gate.Range{}) {
				size = gate.Range{Min: 1, Max: 1}
			}
			require.GreaterOrEqual(t, float64(b.HalfSize[i]), c.Gate.Width/2*size.Min*(1-1e-6))
			require.LessOrEqual(t, float64(b.HalfSize[i]), c.Gate.Width/2*size.Max*(1+1e-6))
		}
		if c.Generator == gate.Mixed {
			require.Less(t, b.Component[e], int32(len(c.Mix)))
		}
		require.Less(t, b.Candidate[e], int32(c.Candidates))
	}
	require.NoError(t, b.CheckNumbers())
}

// Over random configurations, a valid env never has a NaN, and reasons, padding and unit vectors are consistent.
func TestRandomConfigurations(t *testing.T) {
	device := openCPU(t)
	checkRandom(t, 150, func(c gate.Config) *gate.Batch { return generate(t, device, c) })
}

func checkRandom(t *testing.T, configs int, make func(gate.Config) *gate.Batch) {
	t.Helper()
	r := rand.New(rand.NewPCG(1, 2))
	valid, reasons, met := 0, gate.Reason(0), map[string]int{}
	for range configs {
		c := random(r, 40)
		require.NoError(t, c.Validate())
		b := make(c)
		checkCourses(t, c, b)
		valid += b.NumValid()
		if b.NumValid() > 0 {
			for _, what := range []string{c.Generator, c.Ordering, c.Gate.Align, c.Elevation.Profile} {
				met[what]++
			}
		}
		for _, reason := range b.Reason {
			reasons |= reason
		}
	}
	t.Logf("%d of %d courses are valid, reasons %v", valid, configs*40, reasons)
	assert.Greater(t, valid, configs*4)
	assert.Len(t, met, 7+3+2+4, "each generator, ordering, alignment and profile has valid courses: %v", met)
	for _, reason := range []gate.Reason{gate.ReasonDirection, gate.ReasonSeparation, gate.ReasonCrossing,
		gate.ReasonGrade, gate.ReasonTurn, gate.ReasonDistance} {
		assert.NotZero(t, reasons&reason, reason)
	}
}

// reasonsOf returns the reasons of all courses of a batch together, and those that all courses have.
func reasonsOf(b *gate.Batch) (some, all gate.Reason) {
	all = -1
	for _, r := range b.Reason {
		some, all = some|r, all&r
	}
	return some, all
}

// Courses that cannot be flown have a reason.
func TestHostileCourses(t *testing.T) {
	device := openCPU(t)
	for name, test := range map[string]struct {
		config gate.Config
		reason gate.Reason // of every course
	}{
		"too large to be apart": {configOf(gate.Bezier, 20, func(c *gate.Config) {
			c.Gate.Radius, c.Gate.SeparationSweeps = 10, 1
		}), gate.ReasonSeparation},
		"in one place": {configOf(gate.Hull, 20, func(c *gate.Config) { c.Scale, c.Gate.SeparationSweeps = 0, 0 }),
			gate.ReasonSeparation | gate.ReasonDirection},
		"in one place without a size": {configOf(gate.Polar, 20, func(c *gate.Config) {
			c.Scale, c.Gate.Width, c.Gate.Radius = 0, 0, 0
		}), gate.ReasonDirection},
		"vertical": {configOf(gate.Bezier, 20, func(c *gate.Config) {
			c.Scale, c.Gate.Radius, c.Gate.Width, c.Validity.MaxGrade = 0, 0, 0, 1
			c.Elevation.Profile, c.Elevation.Max, c.Gate.Align = "uniform", 5, "full_tangent"
		}), gate.ReasonGrade},
		"wider than apart": {configOf(gate.Bezier, 20, func(c *gate.Config) { c.Gate.Width = 100 }), gate.ReasonCrossing},
		"too few": {configOf(gate.Bezier, 20, func(c *gate.Config) {
			c.Corners.MinCount, c.Corners.MaxCount, c.Validity.MinGates = 2, 4, 4
		}), 0},
		"too near": {configOf(gate.Polar, 20, func(c *gate.Config) { c.Validity.MinDistance = 50 }), gate.ReasonDistance},
		"too far":  {configOf(gate.Polar, 20, func(c *gate.Config) { c.Validity.MaxDistance = 0.01 }), gate.ReasonDistance},
		"too straight": {configOf(gate.Polar, 20, func(c *gate.Config) { c.Validity.MinTurn = 3 }),
			gate.ReasonTurn},
	} {
		b := generate(t, device, test.config)
		checkCourses(t, test.config, b)
		some, all := reasonsOf(b)
		assert.Equal(t, test.reason, all&test.reason, "%s: %v, %v", name, some, all)
		if test.reason == 0 {
			assert.Equal(t, gate.ReasonTooFew, some&gate.ReasonTooFew, name)
			assert.Positive(t, b.NumValid(), name)
		} else {
			assert.Zero(t, b.NumValid(), name)
		}
	}
}

// Vertical courses face along x, and are valid as far as the tests go: their direction is up or down.
func TestVerticalCourse(t *testing.T) {
	b := generate(t, openCPU(t), configOf(gate.Bezier, 8, func(c *gate.Config) {
		c.Scale, c.Gate.Radius, c.Gate.Width = 0, 0, 0
		c.Elevation.Profile, c.Elevation.Max, c.Gate.Align = "uniform", 5, "full_tangent"
	}))
	assert.Equal(t, b.Count, b.FrameFallbacks)
	assert.Equal(t, kernel.V3(1, 0, 0), b.Forward[0])
	assert.Equal(t, float32(1), kernel.Abs(b.Tangent[0].Z))
}

// Two gates look at each other's backs: their directions are opposite.
func TestTwoGates(t *testing.T) {
	b := generate(t, openCPU(t), configOf(gate.Bezier, 50, func(c *gate.Config) {
		c.Corners.MinCount, c.Corners.MaxCount, c.Validity.MinGates = 2, 2, 2
	}))
	require.Positive(t, b.NumValid())
	for e := range b.Envs {
		way := b.Gates(b.Tangent, e)
		assert.Equal(t, way[0], kernel.V3(-way[1].X, -way[1].Y, 0))
	}
}

// Sizes are drawn from their range, one for each env, and scale width and radius alike.
func TestSizes(t *testing.T) {
	c := configOf(gate.Polar, 400, func(c *gate.Config) {
		c.Gate.Width, c.Gate.SizeRange = 0.2, gate.Range{Min: 0.5, Max: 2}
	})
	b := generate(t, openCPU(t), c)
	least, most := float32(math.Inf(1)), float32(0)
	for e := range b.Envs {
		half := b.HalfSize[e*b.MaxGates]
		least, most = min(least, half), max(most, half)
		for k := range b.Count[e] {
			i := e*b.MaxGates + int(k)
			require.Equal(t, half, b.HalfSize[i])
			require.InDelta(t, 2*half, b.Left[i].Sub(b.Right[i]).Len(), 1e-6)
		}
	}
	assert.InDelta(t, 0.05, least, 0.005)
	assert.InDelta(t, 0.2, most, 0.005)
	assert.LessOrEqual(t, most, float32(0.2))
	assert.GreaterOrEqual(t, least, float32(0.05))
}

// The posts stand on either side of the gate: left of the way, right of it, at the height of its middle.
func TestPosts(t *testing.T) {
	for _, align := range []string{"yaw_only", "full_tangent"} {
		c := configOf(gate.Checkpoint, 30, func(c *gate.Config) {
			c.Elevation.Profile, c.Elevation.Max, c.Gate.Align = "uniform", 0.4, align
		})
		b := generate(t, openCPU(t), c)
		for e := range b.Envs {
			for k, p := range b.Gates(b.Position, e) {
				i := e*b.MaxGates + k
				across := b.Left[i].Sub(p)
				assert.InDelta(t, 0, across.Dot(b.Forward[i]), 1e-6)
				assert.InDelta(t, 0, across.Z, 1e-6)
				assert.Positive(t, b.Forward[i].Cross(across).Z)
				assert.InDelta(t, 0.05, across.Len(), 1e-6)
			}
		}
	}
}
