package track

import (
	"math"
	"math/cmplx"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/trackgen-go/trackgen/kernels/repulsive"
)

func TestRepulsiveScheduleOfDefaults(t *testing.T) {
	s := newRepulsiveSchedule(configOf(Repulsive, 1).Resolved())
	assert.Equal(t, 269, s.iterations)
	assert.Equal(t, 128, s.firstCheck)
	assert.Equal(t, 16, s.checkEvery)
	require.Len(t, s.launches, 8+2*9)
	for i, want := range map[int]repulsiveLaunch{
		0: {first: 0, last: 29, before: 64, points: 64, filterBase: 0},
		3: {first: 59, last: 81, before: 64, points: 128, filterBase: 128},
		6: {first: 117, last: 125, before: 128, points: 256, filterBase: 384},
		7: {first: 125, last: 128, before: 256, points: 256, filterBase: 384, opens: 1, stops: true, lastSpreads: 5},
		8: {first: 128, last: 136, before: 256, points: 256, filterBase: 384, opens: 2},
		9: {first: 136, last: 144, before: 256, points: 256, filterBase: 384, stops: true, lastSpreads: 5},
	} {
		assert.Equal(t, want, s.launches[i])
	}
	// The points of curves that stop at 128 or 144 are spread for 150, 175, 200 and 225, and at the end.
	assert.Equal(t, repulsiveLaunch{first: 264, last: 269, before: 256, points: 256, filterBase: 384, stops: true,
		all: 1, lastSpreads: 1}, s.launches[len(s.launches)-1])
}

// For all settings, every iteration is launched once and in order. No window that may be skipped changes the number of
// points. Each window that is checked opens before its check, and no launch has loops that are too long.
func TestRepulsiveSchedules(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := configOf(Repulsive, 1, func(c *Config) {
			c.Output.LoopPoints = 4 * rapid.IntRange(4, 64).Draw(t, "points/4")
			c.Repulsive.MinGrowth = 1
			c.Repulsive.MaxGrowth = rapid.Float64Range(1.001, 20).Draw(t, "growth")
			c.Repulsive.GrowthRate = rapid.Float64Range(0.002, 1).Draw(t, "rate")
			c.Repulsive.SettleIterations = rapid.IntRange(1, 80).Draw(t, "settle")
			c.Repulsive.StallWindow = rapid.IntRange(1, 50).Draw(t, "window")
			c.Repulsive.ResampleEvery = rapid.IntRange(1, 60).Draw(t, "resample")
		})
		if rapid.Bool().Draw(t, "two stages") {
			c.Repulsive.Stages = []int{4 * rapid.IntRange(1, c.Output.LoopPoints/4-1).Draw(t, "first"), c.Output.LoopPoints}
		} else {
			c.Repulsive.Stages = []int{c.Output.LoopPoints}
		}
		c = c.Resolved()
		require.Empty(t, c.checkRepulsive())
		s := newRepulsiveSchedule(c)
		at, points, opened := 0, c.Repulsive.Stages[0], int32(0)
		for i, l := range s.launches {
			require.Equal(t, at, l.first)
			require.Greater(t, l.last, l.first)
			require.Equal(t, points, l.before)
			if l.first >= s.firstCheck {
				require.Equal(t, l.before, l.points)
				require.Equal(t, c.Output.LoopPoints, l.points)
			}
			if l.opens != 0 {
				opened++
				require.Equal(t, opened, l.opens)
			}
			checked := l.last >= s.firstCheck && (l.last-s.firstCheck)%s.checkEvery == 0 && l.last < s.iterations
			require.Equal(t, checked || l.last == s.iterations, l.stops)
			require.Equal(t, l.last == s.iterations, l.all == 1)
			if checked {
				require.Equal(t, int32((l.last-s.firstCheck)/s.checkEvery+1), opened)
			}
			made, every := float64(l.last-l.first), float64(c.Repulsive.ResampleEvery)
			obstacles := float64(repulsiveObstacles(c))
			longest := repulsive.GrowIterations(float64(l.before), float64(l.points), made, every, obstacles, 128)
			require.True(t, longest <= growLoops || made == 1, "launch %d makes %v loop iterations", i, longest)
			at, points = l.last, l.points
		}
		require.Equal(t, s.iterations, at)
	})
}

// The two tables convolve the sums and differences of opposite points, with the same result as the filter on all
// points.
func TestSobolevFilter(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for _, n := range []int{4, 12, 64, 256} {
		table := sobolevFilter(n, 5.0/6)
		require.Len(t, table, 2*n)
		in := make([]float64, n)
		for i := range in {
			in[i] = r.NormFloat64()
		}
		m := n / 2
		for i := range n {
			want := 0.0
			for k := 1; k < n; k++ {
				var coefficient complex128
				for j, v := range in {
					coefficient += complex(v/float64(n), 0) * cmplx.Rect(1, -2*math.Pi*float64(k*j%n)/float64(n))
				}
				response := 1 / (math.Pow(2-2*math.Cos(2*math.Pi*float64(k)/float64(n)), 5.0/6) + 1e-3)
				want += real(coefficient*cmplx.Rect(1, 2*math.Pi*float64(k*i%n)/float64(n))) * response
			}
			var sums, differences float64
			for j := range m {
				sums += float64(table[i%m+m-j]) * (in[j] + in[j+m])
				differences += float64(table[n+i%m+m-j]) * (in[j] - in[j+m])
			}
			got := sums + differences
			if i >= m {
				got = sums - differences
			}
			require.InDelta(t, want, got, 1e-3*math.Max(1, math.Abs(want)), "n %d, point %d", n, i)
			if n == 256 && i == 8 {
				break // a few points of the slow transform are enough
			}
		}
	}
}

func TestWrongRepulsiveConfigurations(t *testing.T) {
	for _, test := range []struct {
		change func(*Config)
		want   string
	}{
		{func(c *Config) { c.Repulsive.Stages = []int{64, 128} },
			"repulsive.stages is [64, 128]: must be a list that ends with output.loop_points (256)"},
		{func(c *Config) { c.Repulsive.Stages = []int{128, 64, 256} },
			"repulsive.stages is [128, 64, 256]: must be multiples of 4, each larger than the one before"},
		{func(c *Config) { c.Repulsive.Stages = []int{63, 256} },
			"repulsive.stages is [63, 256]: must be multiples of 4"},
		{func(c *Config) { c.Repulsive.Stages = []int{0, 256} },
			"repulsive.stages is [0, 256]: must be a list of whole numbers, each >= 4 and <= 256"},
		{func(c *Config) { c.Output.LoopPoints = 512 },
			"output.loop_points is 512: must be at most 256 with the repulsive generator"},
		{func(c *Config) { c.Repulsive.MinGrowth = 6 },
			"repulsive.max_growth is 5.5: must be at least repulsive.min_growth (6)"},
		{func(c *Config) { c.Repulsive.MinGrowth = 0.5 },
			"repulsive.min_growth is 0.5: must be a number >= 1"},
		{func(c *Config) { c.Repulsive.MinGrowth, c.Repulsive.MaxGrowth = 1, 1 },
			"repulsive.max_growth is 1: must be a number > 1"},
		{func(c *Config) { c.Repulsive.MinObstacles = 13 },
			"repulsive.max_obstacles is 12: must be at least repulsive.min_obstacles (13)"},
		{func(c *Config) { c.Repulsive.MinObstacleRadius = 0.1 },
			"repulsive.max_obstacle_radius is 0.045: must be at least repulsive.min_obstacle_radius (0.1)"},
		{func(c *Config) { c.Repulsive.GrowthRate = 1e-5 },
			"repulsive.growth_rate is 1e-05: must be so large"},
		{func(c *Config) { c.Repulsive.WallToCircleRatio = 1 },
			"repulsive.wall_to_circle_ratio is 1: must be a number > 1"},
		{func(c *Config) { c.Output.MaxPoints = 100 },
			"output.max_points is 100: must be at least 182, or no track fits: repulsive loops"},
	} {
		err := configOf(Repulsive, 1, test.change).Validate()
		assert.ErrorIs(t, err, ErrConfig)
		assert.ErrorContains(t, err, test.want)
	}
	assert.NoError(t, configOf(Repulsive, 1, func(c *Config) {
		c.Output.LoopPoints, c.Repulsive.Stages = 128, []int{4, 128}
	}).Validate())
	assert.NoError(t, configOf(Bezier, 1, func(c *Config) {
		c.Output.LoopPoints = 512
	}).Validate(), "the others take any number of points")
}

// Later changes to a list of the caller have no effect, and a list that is read gives no access to the original.
func TestListsAreCopied(t *testing.T) {
	f, ok := FieldNamed("repulsive.stages")
	require.True(t, ok)
	list := []int{128, 256}
	c := DefaultConfig()
	require.NoError(t, f.Set(&c, list))
	list[0] = 1
	assert.Equal(t, []int{128, 256}, f.Value(c))
	f.Value(c).([]int)[1] = 5
	assert.Equal(t, []int{128, 256}, c.Repulsive.Stages)
	for _, wrong := range []any{3, "64", Range{Min: 1, Max: 2}} {
		assert.ErrorIs(t, f.Set(&c, wrong), ErrConfig, "%v", wrong)
	}
	require.NoError(t, f.Set(&c, []int{}))
	assert.True(t, f.IsDerived(c))
	c.Repulsive.Stages = []int{}
	assert.True(t, f.IsDerived(c))
}
