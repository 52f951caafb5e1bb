package track

import (
	"math"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/trackgen-go/trackgen/backend"
	"github.com/trackgen-go/trackgen/exec"
	"github.com/trackgen-go/trackgen/kernel"
	"github.com/trackgen-go/trackgen/kernels/repulsive"
	"github.com/trackgen-go/trackgen/pipeline/allocate"
)

// grownBatch is a batch of curves that grows by the rule of the reference system: a curve that has stopped is spread
// evenly on until the last one of its batch stops. The host stops and spreads, one launch makes one iteration.
type grownBatch struct {
	config   Config
	schedule repulsiveSchedule
	curve    exec.Array[kernel.Vec2]
	now, end exec.Array[float32]
	stopped  exec.Array[int32]
	grow     func(iteration, before, stage int)

	loops [][]point
	stops []int32 // iteration after which each curve stopped, 0 if it grows
	area  []float64
}

// newGrownBatch draws the batch of the seeds 0, 1, 2, ...
func newGrownBatch(t *testing.T, device backend.Device, c Config) *grownBatch {
	t.Helper()
	c = c.Resolved()
	b := &grownBatch{config: c, schedule: newRepulsiveSchedule(c), stops: make([]int32, c.NumEnvs),
		area: make([]float64, c.NumEnvs)}
	envs, stride, stages := c.NumEnvs, repulsiveObstacles(c), c.repulsiveStages()
	list, seeds := []int32{int32(envs)}, []int32{}
	for e := range int32(envs) {
		list, seeds = append(list, e), append(seeds, e)
	}
	active, seed := filledArray(t, device, list), filledArray(t, device, seeds)
	obstacle := filledArray(t, device, make([]kernel.Vec3, envs*stride))
	obstacles := filledArray(t, device, make([]int32, envs))
	area := filledArray(t, device, make([]float32, envs))
	wall, filter := filledArray(t, device, repulsiveWall(c)), filledArray(t, device, b.schedule.filter)
	b.curve = filledArray(t, device, make([]kernel.Vec2, envs*c.Output.LoopPoints))
	b.now, b.end = filledArray(t, device, make([]float32, envs)), filledArray(t, device, make([]float32, envs))
	b.stopped = filledArray(t, device, make([]int32, envs))
	lc, err := exec.For(t.Context(), device)
	require.NoError(t, err)
	domain, start := repulsiveDomain(c)
	length, r := repulsiveStartLength(c), c.Repulsive
	repulsive.Begin(lc, envs, repulsive.BeginArgs{Active: active, Seed: seed, Stride: int32(c.Output.LoopPoints),
		Points: int32(stages[0]), DiscsMin: int32(r.MinObstacles), DiscsMax: int32(r.MaxObstacles),
		DomainRadius: float32(domain), StartRadius: float32(start), DiscRadiusMin: float32(r.MinObstacleRadius),
		DiscRadiusMax: float32(r.MaxObstacleRadius), LengthStart: float32(length),
		LengthMin: float32(r.MinGrowth * length), LengthMax: float32(r.MaxGrowth * length), Wall: wall,
		Obstacle: obstacle, Obstacles: obstacles, LengthNow: b.now, LengthEnd: b.end, Area: area,
		Iterations: b.stopped, Curve: b.curve})
	b.grow = func(iteration, before, stage int) {
		base := 0
		for _, points := range stages[:stage] {
			base += 2 * points
		}
		repulsive.Grow(lc, envs, repulsive.GrowArgs{Active: active, Stride: int32(c.Output.LoopPoints),
			ObstacleStride: int32(stride), Walls: wallPoints, Before: int32(before), Points: int32(stages[stage]),
			First: int32(iteration), Last: int32(iteration + 1), ResampleEvery: int32(r.ResampleEvery),
			KeepDiscs: allocate.Bit(!r.DropObstacles), Ratchet: float32(1 + r.GrowthRate), Step: float32(r.StepSize),
			Obstacle: obstacle, Obstacles: obstacles, Filter: filter, FilterBase: int32(base), LengthEnd: b.end,
			LengthNow: b.now, Iterations: b.stopped, Curve: b.curve})
		require.NoError(t, lc.Err())
	}
	return b
}

// run grows all curves and returns the iteration at which the last one stops.
func (b *grownBatch) run(t *testing.T) int {
	t.Helper()
	c, stages := b.config, b.config.repulsiveStages()
	growth, stage, before := growthIterations(c, c.Repulsive.MaxGrowth), 0, stages[0]
	for k := 1; k <= b.schedule.iterations; k++ { // iterations that are done after this one
		for stage+1 < len(stages) && min(growthIterations(c, math.Ldexp(1, stage+1)), growth) <= float64(k-1) {
			stage++
		}
		b.grow(k-1, before, stage)
		before = stages[stage]
		if stage == len(stages)-1 && k%c.Repulsive.StallWindow == 0 {
			b.stop(t, k)
		}
		if k%c.Repulsive.ResampleEvery == 0 { // grow spreads the others when it goes on
			b.spread(t, func(e int) bool { return b.stops[e] != 0 })
		}
		if !slices.Contains(b.stops, 0) {
			b.spread(t, func(int) bool { return true })
			return k
		}
	}
	b.spread(t, func(int) bool { return true })
	return b.schedule.iterations
}

// read copies the curves, which have their last number of points.
func (b *grownBatch) read(t *testing.T) {
	t.Helper()
	points, err := b.curve.Read(t.Context())
	require.NoError(t, err)
	b.loops = make([][]point, b.config.NumEnvs)
	for i, p := range points {
		e := i / b.config.Output.LoopPoints
		b.loops[e] = append(b.loops[e], point{float64(p.X), float64(p.Y)})
	}
}

// spread spaces the points of some curves evenly.
func (b *grownBatch) spread(t *testing.T, which func(e int) bool) {
	t.Helper()
	b.read(t)
	points, err := b.curve.Read(t.Context())
	require.NoError(t, err)
	for e, loop := range b.loops {
		if !which(e) {
			continue
		}
		b.loops[e] = resampled(loop, len(loop))
		for i, p := range b.loops[e] {
			points[e*len(loop)+i] = kernel.V2(float32(p.x), float32(p.y))
		}
	}
	require.NoError(t, b.curve.Write(t.Context(), points))
}

// stop stops the curves that have their length and whose area has hardly changed since the last call.
func (b *grownBatch) stop(t *testing.T, iteration int) {
	t.Helper()
	b.read(t)
	now, err := b.now.Read(t.Context())
	require.NoError(t, err)
	end, err := b.end.Read(t.Context())
	require.NoError(t, err)
	for e, loop := range b.loops {
		sum := 0.0
		for i, p := range loop {
			sum += p.cross(loop[(i+1)%len(loop)]) / 2
		}
		enclosed := math.Abs(sum)
		// The reference divides by the new area, this system by that of the last check.
		if b.stops[e] == 0 && now[e] >= end[e] &&
			math.Abs(enclosed-b.area[e]) < b.config.Repulsive.StallAreaTolerance*b.area[e] {
			b.stops[e] = int32(iteration)
		}
		b.area[e] = enclosed
	}
	require.NoError(t, b.stopped.Write(t.Context(), b.stops))
}

// filledArray allocates an array with these values, which is closed at the end of the test.
func filledArray[T kernel.Element](t *testing.T, device backend.Device, values []T) exec.Array[T] {
	t.Helper()
	array, err := exec.FromSlice(device, values)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, array.Close()) })
	return array
}

// TestRepulsiveHorizon makes a batch by the rule of the reference system. Its loops are those of a horizon that is the
// iteration at which the batch ends, and longer than those of a later horizon.
func TestRepulsiveHorizon(t *testing.T) { // docs/spec/differences.md#horizon
	for name, change := range map[string]func(*Config){
		"64 points": func(*Config) {},
		"32 points": func(c *Config) { c.Output.LoopPoints, c.Repulsive.Stages = 32, []int{16, 32} },
	} {
		device := openCPU(t)
		c := configOf(Repulsive, 8, func(c *Config) {
			c.Output.LoopPoints, c.Repulsive.MinGrowth, c.Repulsive.MaxGrowth = 64, 2, 2.5
			c.Repulsive.GrowthRate, c.Repulsive.SettleIterations, c.Repulsive.StallWindow = 0.05, 40, 4
			c.Repulsive.ResampleEvery, c.Repulsive.StallAreaTolerance = 5, 0.04
		}, change)
		b := newGrownBatch(t, device, c)
		end := b.run(t)
		ratio := func(horizon int) []float64 {
			c.Repulsive.Horizon = horizon
			g, err := NewGenerator(device, c)
			require.NoError(t, err)
			defer func() { require.NoError(t, g.Close()) }()
			stops, err := outputOf[int32](g, IterationsOutput).Read(t.Context())
			require.NoError(t, err)
			assert.Equal(t, b.stops, stops, name)
			points, err := outputOf[kernel.Vec2](g, LoopOutput).Read(t.Context())
			require.NoError(t, err)
			ratios := make([]float64, c.NumEnvs)
			for e, want := range b.loops {
				var loop []point
				for _, p := range points[e*len(want) : (e+1)*len(want)] {
					loop = append(loop, point{float64(p.X), float64(p.Y)})
				}
				ratios[e] = perimeter(loop) / perimeter(want)
			}
			return ratios
		}
		t.Logf("%s: the batch ends at %d, its curves stop at %v", name, end, b.stops)
		require.Greater(t, slices.Max(b.stops), slices.Min(b.stops), name)
		for e, r := range ratio(end) {
			assert.InDelta(t, 1, r, 1e-5, "%s, env %d", name, e)
		}
		for e, r := range ratio(end + 20) { // four times more
			assert.Less(t, r, 1.0, "%s, env %d", name, e)
		}
	}
}
