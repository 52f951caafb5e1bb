package track

import (
	"fmt"
	"math"

	"github.com/trackgen-go/trackgen/config"
	"github.com/trackgen-go/trackgen/exec"
	"github.com/trackgen-go/trackgen/kernel"
	"github.com/trackgen-go/trackgen/kernels/repulsive"
	"github.com/trackgen-go/trackgen/pipeline"
	"github.com/trackgen-go/trackgen/pipeline/allocate"
)

const (
	// domainSize is the side of a square in units of scale. The radius of the domain is repulsive.wall_radius times
	// this side.
	domainSize = 4.9029

	wallPoints = 96

	// With these exponents of the energy, powers are products (kernel repulsive.grow).
	defaultAlpha = 3.0
	defaultBeta  = 6.0
)

// Names of the outputs in which the repulsive generator reports its work, for pipeline.ArrayOf.
const (
	// IterationsOutput [E] int32 is the number of iterations after which each curve stopped.
	IterationsOutput = "iterations"
	// WindowsOutput [1] int32 is the number of windows of the bounded loop that the last generation ran. The first
	// iterations, which always run, count as one window. The number depends on how the loop was emitted
	// (exec.BoundedLoop); the tracks do not.
	WindowsOutput = "windows"
)

var repulsiveSpec = Spec{
	Stage:   repulsiveStage,
	Kernels: repulsive.Defs,
	Shortest: func(c Config) float64 {
		return 0.9 * c.Repulsive.MinGrowth * repulsiveStartLength(c) // spreading the points evenly makes a curve shorter
	},
	Stride: repulsiveObstacles,
}

// repulsiveDomain returns the radius of the wall and the radius of the first circle, in units of scale.
func repulsiveDomain(c Config) (domain, start float64) {
	domain = c.Repulsive.WallRadius * domainSize
	return domain, domain / c.Repulsive.WallToCircleRatio
}

// repulsiveObstacles returns the maximum number of points of the wall and of discs of an env.
func repulsiveObstacles(c Config) int {
	return wallPoints + c.Repulsive.MaxObstacles*repulsive.DiscPoints
}

// repulsiveStartLength returns the length of the first circle in units of scale.
func repulsiveStartLength(c Config) float64 {
	_, start := repulsiveDomain(c)
	return 2 * math.Pi * start
}

// growsByPowers reports whether the exponents of the energy need powers.
func (c Config) growsByPowers() bool {
	return c.Repulsive.Alpha != defaultAlpha || c.Repulsive.Beta != defaultBeta
}

// repulsiveStage is a bounded loop of iterations. A launch makes several iterations.
func repulsiveStage(c Config) exec.Stage {
	return pipeline.StageFunc("loop", exec.Bounded, func(b exec.Builder) (exec.Enqueue, error) {
		a := allocate.New(b)
		envs, stride := b.Envs(), int32(c.Output.LoopPoints)
		schedule, length := newRepulsiveSchedule(c), repulsiveStartLength(c)
		domain, start := repulsiveDomain(c)
		domainRadius, startRadius, lengthStart := float32(domain), float32(start), float32(length)
		lengthMin, lengthMax := float32(c.Repulsive.MinGrowth*length), float32(c.Repulsive.MaxGrowth*length)
		discsMin, discsMax := int32(c.Repulsive.MinObstacles), int32(c.Repulsive.MaxObstacles)
		radiusMin, radiusMax := float32(c.Repulsive.MinObstacleRadius), float32(c.Repulsive.MaxObstacleRadius)
		growth, step := float32(1+c.Repulsive.GrowthRate), float32(c.Repulsive.StepSize)
		areaTolerance, scale := float32(c.Repulsive.StallAreaTolerance), float32(c.Scale)
		resampleEvery, obstacleStride := int32(c.Repulsive.ResampleEvery), repulsiveObstacles(c)
		keepDiscs := allocate.Bit(!c.Repulsive.DropObstacles)
		alpha, beta := float32(c.Repulsive.Alpha), float32(c.Repulsive.Beta)

		seed, loop := b.Seed(), allocate.Output[kernel.Vec2](a, LoopOutput, c.Output.LoopPoints)
		obstacle, obstacles := allocate.PerEnv[kernel.Vec3](a, obstacleStride), allocate.PerEnv[int32](a, 1)
		lengthNow, lengthEnd := allocate.PerEnv[float32](a, 1), allocate.PerEnv[float32](a, 1)
		area := allocate.PerEnv[float32](a, 1)
		iterations := allocate.Output[int32](a, IterationsOutput, 1)
		unfinished := allocate.Try(a, func() (exec.Array[int32], error) { return exec.Scratch[int32](b, 1) })
		windows := allocate.Try(a, func() (exec.Array[int32], error) {
			return pipeline.Diagnostic[int32](b, WindowsOutput, 1)
		})
		wall, filter := allocate.Staged(a, repulsiveWall(c)), allocate.Staged(a, schedule.filter)

		body := func(lc *exec.LaunchContext, iteration int) {
			s := schedule.beginning(iteration)
			if s == nil {
				return
			}
			if s.opens != 0 {
				repulsive.Window(lc, 1, a.Active.Array(), s.opens, unfinished, windows)
			}
			if c.growsByPowers() {
				repulsive.GrowPowers(lc, envs, repulsive.GrowPowersArgs{
					Active: a.Active.Array(), Stride: stride, ObstacleStride: int32(obstacleStride), Walls: wallPoints,
					Before: int32(s.before), Points: int32(s.points), First: int32(s.first), Last: int32(s.last),
					ResampleEvery: resampleEvery, KeepDiscs: keepDiscs, Ratchet: growth, Step: step,
					Alpha: alpha, Beta: beta,
					Obstacle: obstacle, Obstacles: obstacles, Filter: filter, FilterBase: int32(s.filterBase),
					LengthEnd: lengthEnd, LengthNow: lengthNow, Iterations: iterations, Curve: loop,
				})
			} else {
				repulsive.Grow(lc, envs, repulsive.GrowArgs{
					Active: a.Active.Array(), Stride: stride, ObstacleStride: int32(obstacleStride), Walls: wallPoints,
					Before: int32(s.before), Points: int32(s.points), First: int32(s.first), Last: int32(s.last),
					ResampleEvery: resampleEvery, KeepDiscs: keepDiscs, Ratchet: growth, Step: step,
					Obstacle: obstacle, Obstacles: obstacles, Filter: filter, FilterBase: int32(s.filterBase),
					LengthEnd: lengthEnd, LengthNow: lengthNow, Iterations: iterations, Curve: loop,
				})
			}
			if s.stops {
				repulsive.Stop(lc, envs, repulsive.StopArgs{
					Active: a.Active.Array(), Stride: stride, Points: int32(s.points), Last: int32(s.last),
					Spreads: int32(s.lastSpreads), All: s.all, AreaTolerance: areaTolerance, Scale: scale,
					LengthEnd: lengthEnd, LengthNow: lengthNow, Area: area, Curve: loop,
					Iterations: iterations, Unfinished: unfinished,
				})
			}
		}
		return func(lc *exec.LaunchContext) {
			repulsive.Begin(lc, envs, repulsive.BeginArgs{
				Active: a.Active.Array(), Seed: seed, Stride: stride, Points: int32(schedule.launches[0].before),
				DiscsMin: discsMin, DiscsMax: discsMax, DomainRadius: domainRadius, StartRadius: startRadius,
				DiscRadiusMin: radiusMin, DiscRadiusMax: radiusMax,
				LengthStart: lengthStart, LengthMin: lengthMin, LengthMax: lengthMax,
				Wall: wall, Obstacle: obstacle, Obstacles: obstacles, LengthNow: lengthNow, LengthEnd: lengthEnd,
				Area: area, Iterations: iterations, Curve: loop,
			})
			exec.BoundedLoop(lc, schedule.iterations, body,
				exec.LoopOptions{Active: unfinished, FirstCheck: schedule.firstCheck, CheckEvery: schedule.checkEvery})
		}, a.Err
	})
}

// repulsiveWall returns the points of the wall. Z is the mass of a point: the arc length between neighbours.
func repulsiveWall(c Config) []kernel.Vec3 {
	radius, _ := repulsiveDomain(c)
	wall := make([]kernel.Vec3, wallPoints)
	for i := range wall {
		sin, cos := math.Sincos(2 * math.Pi * float64(i) / wallPoints)
		wall[i] = kernel.V3(float32(radius*cos), float32(radius*sin), float32(2*math.Pi*radius/wallPoints))
	}
	return wall
}

// checkRepulsive validates the fields of the repulsive generator against one another. c is resolved.
func (c Config) checkRepulsive() []*ConfigError {
	var wrong []*ConfigError
	refuse := func(field string, value any, format string, args ...any) {
		wrong = append(wrong, &ConfigError{Field: field, Value: fmt.Sprint(value), Allowed: fmt.Sprintf(format, args...)})
	}
	if c.Repulsive.MaxGrowth < c.Repulsive.MinGrowth {
		refuse("repulsive.max_growth", shortest(c.Repulsive.MaxGrowth),
			"at least repulsive.min_growth (%s)", shortest(c.Repulsive.MinGrowth))
	}
	if c.Repulsive.MaxObstacles < c.Repulsive.MinObstacles {
		refuse("repulsive.max_obstacles", c.Repulsive.MaxObstacles,
			"at least repulsive.min_obstacles (%d)", c.Repulsive.MinObstacles)
	}
	if c.Repulsive.MaxObstacleRadius < c.Repulsive.MinObstacleRadius {
		refuse("repulsive.max_obstacle_radius", shortest(c.Repulsive.MaxObstacleRadius),
			"at least repulsive.min_obstacle_radius (%s)", shortest(c.Repulsive.MinObstacleRadius))
	}
	if c.Generator == Repulsive {
		stages := c.repulsiveStages()
		for i, n := range stages {
			if n%4 != 0 || i > 0 && n <= stages[i-1] {
				refuse("repulsive.stages", config.Text(stages), "multiples of 4, each larger than the one before")
				break
			}
		}
		if last := stages[len(stages)-1]; last != c.Output.LoopPoints {
			refuse("repulsive.stages", config.Text(stages),
				"a list that ends with output.loop_points (%d)", c.Output.LoopPoints)
		}
		if c.Output.LoopPoints > repulsive.MaxPoints {
			refuse("output.loop_points", c.Output.LoopPoints,
				"at most %d with the repulsive generator", repulsive.MaxPoints)
		}
	}
	if n := repulsiveIterations(c); n > maxIterations {
		refuse("repulsive.growth_rate", shortest(c.Repulsive.GrowthRate), "so large that growing by "+
			"repulsive.max_growth (%s) and settling takes at most %d iterations; it would take %.0f",
			shortest(c.Repulsive.MaxGrowth), maxIterations, n)
	}
	return wrong
}
