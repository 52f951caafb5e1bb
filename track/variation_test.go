package track

import (
	"cmp"
	"context"
	"math"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/trackgen-go/trackgen/exec"
	"github.com/trackgen-go/trackgen/kernel"
	"github.com/trackgen-go/trackgen/seeds"
)

// turning returns a change of a configuration that lets tracks be reversed and mirrored.
func turning(c *Config) { c.Variation.RandomDirection, c.Variation.RandomMirror = true, true }

// wide returns a change of a configuration that draws half widths from an interval.
func wide(low, high float64) func(*Config) {
	return func(c *Config) { c.Variation.HalfWidthRange = Range{Min: low, Max: high} }
}

// roadDraws does the draws of docs/spec/pipeline.md, section 7.1, from an effective seed.
func roadDraws(effective int32) (width float32, reversed, mirrored bool) {
	width, r := kernel.NewRand(effective*8951 + 59).Uniform()
	direction, r := r.Uniform()
	side, _ := r.Uniform()
	return width, direction < 0.5, side < 0.5
}

// quick makes tracks of few points, without relaxation.
func quick(c *Config) {
	c.Relax.Enabled, c.Spline.SamplesPerSegment, c.Output.LoopPoints, c.Output.MaxPoints = false, 4, 32, 256
}

// Over 4096 seeds, widths are uniform and ways are even. The ways are seen in the points of the tracks.
func TestDistributionOfRoads(t *testing.T) {
	t.Parallel()
	const envs = 4096
	device := openCPU(t)
	plain := batchOf(t, device, configOf(Polar, envs, quick), WithSeed(-100))
	turned := batchOf(t, device, configOf(Polar, envs, quick, turning), WithSeed(-100))
	varied := batchOf(t, device, configOf(Polar, envs, quick, wide(0.05, 0.15)), WithSeed(-100))
	ways, bins, sum := map[[2]bool]int{}, [8]int{}, 0.0
	for e := range envs {
		from, to := plain.Points(plain.Center, e), turned.Points(turned.Center, e)
		require.Equal(t, len(from), len(to))
		reversed := to[1].Y != from[1].Y
		mirrored := to[0].X != from[0].X
		ways[[2]bool{reversed, mirrored}]++

		half := float64(varied.WidthRight[e*varied.NMax])
		require.True(t, half >= 0.05 && half <= float64(float32(0.15)), "%v", half)
		sum += half
		bins[min(int((half-0.05)/0.1*8), 7)]++
	}
	half, quarter, eighth := 3*math.Sqrt(envs*0.25), 3*math.Sqrt(envs*0.25*0.75), 3*math.Sqrt(envs/8.0*7/8)
	both := ways[[2]bool{true, true}]
	assert.InDelta(t, envs/2, ways[[2]bool{true, false}]+both, half, "reversed")
	assert.InDelta(t, envs/2, ways[[2]bool{false, true}]+both, half, "mirrored")
	assert.InDelta(t, envs/4, both, quarter, "one draw does not depend on the other")
	assert.InDelta(t, 0.1, sum/envs, 3*0.1/math.Sqrt(12*envs))
	for k, n := range bins {
		assert.InDelta(t, envs/8, n, eighth, "part %d of the interval", k)
	}
}

// A track that is reversed, mirrored or both has exactly the points of the plain track in the other order and with the
// other sign of x. Its first point is that of the plain track. The road goes along: unit vectors, winding, borders and
// validity.
func TestTurnedTracks(t *testing.T) {
	t.Parallel()
	const envs = 24
	device := openCPU(t)
	for name, config := range map[string]Config{
		"shared memory": configOf(Bezier, envs),
		"long rows":     configOf(Hull, envs, func(c *Config) { c.Output.MaxPoints = 400 }),
		"no relaxation": configOf(Polar, envs, func(c *Config) { c.Relax.Enabled = false }),
		"crossings":     configOf(Bezier, envs, func(c *Config) { c.Bezier.HandleLength, c.Relax.Sweeps = -2, 3 }),
	} {
		plain := batchOf(t, device, config, WithSeed(7), WithEpoch(3))
		turning(&config)
		turned := batchOf(t, device, config, WithSeed(7), WithEpoch(3))
		seen := map[[2]bool]bool{}
		for e := range envs {
			_, reversed, mirrored := roadDraws(seeds.EffectiveSeed(int32(7+e), 3))
			seen[[2]bool{reversed, mirrored}] = true
			requireTurned(t, plain, turned, e, reversed, mirrored)
		}
		assert.Len(t, seen, 4, name)
	}
}

// Each of the two settings turns tracks without the other, those that it turns with the other.
func TestTurnedInOneWay(t *testing.T) {
	t.Parallel()
	const envs = 12
	device := openCPU(t)
	plain := batchOf(t, device, configOf(Polar, envs))
	for _, reversing := range []bool{true, false} {
		config := configOf(Polar, envs)
		config.Variation.RandomDirection, config.Variation.RandomMirror = reversing, !reversing
		turned := batchOf(t, device, config)
		some := 0
		for e := range envs {
			_, reversed, mirrored := roadDraws(int32(e))
			requireTurned(t, plain, turned, e, reversed && reversing, mirrored && !reversing)
			if reversed && reversing || mirrored && !reversing {
				some++
			}
		}
		assert.NotZero(t, some)
		assert.Less(t, some, envs)
	}
}

// requireTurned compares env e of two batches, of which the second is turned.
func requireTurned(t *testing.T, plain, turned *Batch, e int, reversed, mirrored bool) {
	t.Helper()
	n := int(plain.Count[e])
	require.Equal(t, plain.Count[e], turned.Count[e])
	require.Equal(t, plain.Reason[e], turned.Reason[e], "env %d", e)
	require.InDelta(t, plain.Length[e], turned.Length[e], 1e-6)
	sign := map[bool]float32{true: -1, false: 1}
	require.Equal(t, plain.Winding[e]*sign[reversed]*sign[mirrored], turned.Winding[e])
	at := func(k int) int {
		if reversed {
			return e*plain.NMax + (n-k)%n
		}
		return e*plain.NMax + k
	}
	for k := range n {
		to := e*plain.NMax + k
		mirror := func(v kernel.Vec3, sense float32) kernel.Vec3 {
			return kernel.V3(v.X*sign[mirrored]*sense+0, v.Y*sense+0, v.Z+0)
		}
		require.Equal(t, mirror(plain.Center[at(k)], 1), positive(turned.Center[to]), "env %d point %d", e, k)
		require.Equal(t, mirror(plain.Outer[at(k)], 1), positive(turned.Outer[to]))
		require.Equal(t, mirror(plain.Inner[at(k)], 1), positive(turned.Inner[to]))
		require.Equal(t, mirror(plain.Tangent[at(k)], sign[reversed]), positive(turned.Tangent[to]))
		require.Equal(t, mirror(plain.Normal[at(k)], sign[reversed]*sign[mirrored]), positive(turned.Normal[to]))
		require.Equal(t, plain.WidthLeft[at(k)], turned.WidthRight[to])
		arc := plain.Arclen[at(k)]
		if reversed && k > 0 {
			arc = plain.Length[e] - arc
		}
		require.InDelta(t, arc, turned.Arclen[to], 1e-5)
	}
}

// positive makes zeros positive, as the sums above do.
func positive(v kernel.Vec3) kernel.Vec3 { return kernel.V3(v.X+0, v.Y+0, v.Z+0) }

// An env has the half width of its draw everywhere, and the track of a batch with that half width, but for roundings.
func TestDrawnWidths(t *testing.T) {
	t.Parallel()
	const envs, low, high = 10, 0.06, 0.14
	device := openCPU(t)
	for _, relaxed := range []bool{false, true} {
		config := configOf(Bezier, envs, wide(low, high), func(c *Config) { c.Relax.Enabled = relaxed })
		varied := batchOf(t, device, config, WithSeed(20))
		var moved []float64
		for e := range envs {
			u, _, _ := roadDraws(int32(20 + e))
			half := low + (high-low)*float64(u)
			for _, widths := range [][]float32{varied.WidthRight, varied.WidthLeft} {
				for _, w := range widths[e*varied.NMax:][:varied.Count[e]] {
					require.InEpsilon(t, half, w, 1e-6)
				}
			}
			alone := config
			alone.NumEnvs, alone.Variation, alone.Road.HalfWidth = 1, VariationConfig{}, half
			one := batchOf(t, device, alone, WithSeed(int32(20+e)))
			require.Equal(t, one.Count[0], varied.Count[e])
			require.Equal(t, one.Reason[0], varied.Reason[e])
			most := 0.0
			for k, p := range one.Points(one.Center, 0) {
				q := varied.Points(varied.Center, e)[k]
				most = max(most, math.Hypot(float64(p.X-q.X), float64(p.Y-q.Y)))
			}
			moved = append(moved, most)
		}
		slices.SortFunc(moved, cmp.Compare[float64])
		assert.Less(t, moved[envs/2], 2e-5, "median; relaxed: %v", relaxed)
		if !relaxed {
			assert.Less(t, moved[envs-1], 2e-5)
		}
	}
}

// An interval of one width is that width, to the bit, in both relaxations; so are components that draw no width.
func TestOneWidth(t *testing.T) {
	t.Parallel()
	device := openCPU(t)
	for _, maxPoints := range []int{384, 400} {
		room := func(c *Config) { c.Output.MaxPoints = maxPoints }
		want := configOf(Polar, 5, room, func(c *Config) { c.Road.HalfWidth = 0.13 })
		got := configOf(Polar, 5, room, wide(0.13, 0.13))
		assert.Equal(t, bitsOf(t, batchOf(t, device, want)), bitsOf(t, batchOf(t, device, got)))
	}
	for _, candidates := range []int{1, 2} {
		config := mixture(40)
		config.Candidates, config.Relax.Sweeps = candidates, 10
		config.Mix[0].Variation.HalfWidthRange = Range{Min: 0.05, Max: 0.08}
		config.Mix[1].Variation.HalfWidthRange = Range{Min: 0.2, Max: 0.21}
		config.Mix[3].Variation.RandomDirection = true
		pure := pureBatches(t, device, config, WithSeed(2))
		mixed := batchOf(t, device, config, WithSeed(2))
		for e, k := range mixed.Component {
			samePoints(t, pure[k], e, mixed, e)
			half := mixed.WidthLeft[e*mixed.NMax]
			low := []float32{0.05, 0.2, 0.1, 0.1}[k]
			high := []float32{0.08, 0.21, 0.1, 0.1}[k]
			require.True(t, half >= low && half <= high, "component %d: %v", k, half)
		}
	}
}

// The road of an env is tested against its own width: bends that are wide enough for a narrow road fail a wide one.
func TestValidityOfDrawnWidths(t *testing.T) {
	t.Parallel()
	const envs = 200
	config := configOf(Polar, envs, wide(0.01, 0.11), func(c *Config) {
		c.Relax.Enabled, c.Output.Spacing, c.Validity.MinHalfWidth = false, 0.03, 0.06
	})
	batch := batchOf(t, openCPU(t), config)
	tight, narrow := 0, 0
	for e := range envs {
		half := float64(batch.WidthLeft[e*batch.NMax])
		points := batch.Points(batch.Center, e)
		sharpest := 0.0
		for i, p := range points {
			a, b := points[(i+len(points)-1)%len(points)], points[(i+1)%len(points)]
			sides := [3]float64{span(a, p), span(p, b), span(a, b)}
			cross := float64(p.X-a.X)*float64(b.Y-a.Y) - float64(p.Y-a.Y)*float64(b.X-a.X)
			sharpest = max(sharpest, 2*math.Abs(cross)/(sides[0]*sides[1]*sides[2]))
		}
		if room := sharpest * 0.98 * half; math.Abs(room-1) > 1e-2 { // rounding may decide the others
			require.Equal(t, room > 1, batch.Reason[e]&ReasonCurvature != 0, "env %d: %v", e, room)
		}
		require.Equal(t, half <= 0.06, batch.Reason[e]&ReasonWidth != 0)
		tight += int(batch.Reason[e] & ReasonCurvature / ReasonCurvature)
		narrow += int(batch.Reason[e] & ReasonWidth / ReasonWidth)
	}
	assert.Greater(t, tight, 20)
	assert.Less(t, tight, envs-20)
	assert.InDelta(t, envs/2, narrow, 25)
}

func span(a, b kernel.Vec3) float64 { return math.Hypot(float64(b.X-a.X), float64(b.Y-a.Y)) }

// A road depends on the seed and the epoch alone: not on the batch, on which candidate is kept, or on the other
// settings of the variation. A mask draws anew for its envs.
func TestRoadsOfSeeds(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	device := openCPU(t)
	config := configOf(Polar, 6, wide(0.02, 0.08), turning)
	config.Relax.Enabled = false
	all := batchOf(t, device, config, WithSeeds([]int32{3, -8, 900, 41, 5, 6}))
	config.NumEnvs = 2
	some := batchOf(t, device, config, WithSeeds([]int32{41, -8}))
	samePoints(t, all, 3, some, 0)
	samePoints(t, all, 1, some, 1)

	config.NumEnvs, config.Candidates = 6, 8
	g, err := NewGenerator(device, config, WithSeeds([]int32{3, -8, 900, 41, 5, 6}))
	require.NoError(t, err)
	defer func() { require.NoError(t, g.Close()) }()
	kept, err := g.Track().Batch(ctx)
	require.NoError(t, err)
	assert.NotEqual(t, make([]int32, 6), kept.Candidate)
	half := func(b *Batch, e int) float32 { return b.WidthLeft[e*b.NMax] }
	for e := range 6 {
		require.Equal(t, half(all, e), half(kept, e))
	}
	mask, err := exec.FromSlice(device, []int32{0, 1, 0, 0, 1, 0})
	require.NoError(t, err)
	defer func() { require.NoError(t, mask.Close()) }()
	_, err = g.Regenerate(ctx, mask)
	require.NoError(t, err)
	again, err := g.Track().Batch(ctx)
	require.NoError(t, err)
	for e, seed := range []int32{3, -8, 900, 41, 5, 6} {
		epoch := int32(0)
		if e == 1 || e == 4 {
			epoch = 1
			assert.NotEqual(t, half(kept, e), half(again, e))
		} else {
			samePoints(t, kept, e, again, e)
		}
		u, _, _ := roadDraws(seeds.EffectiveSeed(seed, epoch))
		assert.InEpsilon(t, 0.02+0.06*float64(u), half(again, e), 1e-6)
	}

	config.Variation.RandomDirection, config.Variation.RandomMirror, config.Candidates = false, false, 1
	straight := batchOf(t, device, config, WithSeeds([]int32{3, -8, 900, 41, 5, 6}))
	for e := range 6 {
		require.Equal(t, half(all, e), half(straight, e))
	}
}

// Without the settings nothing is launched for them; with them, one kernel is.
func TestLaunchesOfVariation(t *testing.T) {
	t.Parallel()
	launches := func(changes ...func(*Config)) int64 {
		demand, err := DryRun(configOf(Bezier, 3, changes...))
		require.NoError(t, err)
		return demand.Launches()
	}
	assert.EqualValues(t, 8, launches(wide(0, 0)))
	assert.EqualValues(t, 9, launches(wide(0.1, 0.2)))
	assert.EqualValues(t, 9, launches(turning))
	assert.EqualValues(t, 9, launches(wide(0.1, 0.2), turning))
}

// The number of points that a track needs is bounded by the widest road, whose spacing is the largest.
func TestRoomOfDrawnWidths(t *testing.T) {
	t.Parallel()
	config := configOf(Polar, 1, wide(0.01, 0.05), func(c *Config) { c.Output.MaxPoints = 96 }) // 2.88 / 0.03 = 96
	require.NoError(t, config.Validate())
	assert.Zero(t, config.Resolved().Output.Spacing, "it depends on the env")
	assert.Equal(t, config.Resolved(), config.Resolved().Resolved())
	config.Output.MaxPoints = 95
	assert.ErrorContains(t, config.Validate(), "output.max_points is 95: must be at least 96, or no track fits")
	config.Variation.HalfWidthRange = Range{Min: 0.01, Max: 0.051}
	require.NoError(t, config.Validate())
	config.Output.Spacing = 0.02
	assert.ErrorContains(t, config.Validate(), "must be at least 144")

	mixed := mixture(1)
	mixed.Mix[1].Variation.HalfWidthRange = Range{Min: 0.2, Max: 0.1}
	assert.ErrorContains(t, mixed.Validate(), "mix[1].variation.half_width_range is [0.2, 0.1]: must be a pair")
	mixed.Mix[1].Variation.HalfWidthRange = Range{Min: 0.1, Max: 0.2}
	require.NoError(t, mixed.Validate())
	assert.Zero(t, mixed.Resolved().Output.Spacing)
}

// Every array of a generation with drawn roads is listed.
func TestStageArraysOfVariation(t *testing.T) {
	t.Parallel()
	g, err := NewGenerator(openCPU(t), configOf(Bezier, 3, turning))
	require.NoError(t, err)
	defer func() { require.NoError(t, g.Close()) }()
	elements := map[string]int{}
	for _, a := range g.StageArrays() {
		if a.Stage == "variation" {
			elements[a.Name] = a.Len()
		}
	}
	assert.Equal(t, map[string]int{"road_lengths": 18, "half_widths": 3, "turned": 3}, elements)
}
