package track

import (
	"fmt"
	"math"

	"github.com/trackgen-go/trackgen/exec"
	"github.com/trackgen-go/trackgen/kernel"
	"github.com/trackgen-go/trackgen/kernels/repulsive"
	"github.com/trackgen-go/trackgen/pipeline"
)

const (
	// domainSize is the side of the square whose part repulsive_domain_frac is the radius of the domain, in units of scale.
	domainSize = 4.9029

	wallPoints = 96
)

// Names under which the repulsive generator leaves what happened, for pipeline.ArrayOf.
const (
	// IterationsOutput [E] int32 is the number of iterations after which each curve stopped.
	IterationsOutput = "iterations"
	// WindowsOutput [1] int32 is the number of windows of the bounded loop that the last generation ran, the first iterations,
	// which always run, being one. It depends on how the loop was emitted (exec.BoundedLoop); the tracks do not.
	WindowsOutput = "windows"
)

var repulsiveSpec = Spec{
	Stage:   repulsiveStage,
	Kernels: repulsive.Defs,
	Shortest: func(c Config) float64 {
		return 0.9 * c.RepulsiveGrowMultMin * repulsiveStartLength(c) // spreading its points evenly makes it shorter
	},
	Stride: repulsiveObstacles,
}

// repulsiveDomain returns the radius of the wall, and that of the first circle, in units of scale.
func repulsiveDomain(c Config) (domain, start float64) {
	domain = c.RepulsiveDomainFrac * domainSize
	return domain, domain / c.RepulsiveDomainInitRatio
}

// repulsiveObstacles returns how many points of the wall and of discs an env has at most.
func repulsiveObstacles(c Config) int {
	return wallPoints + c.RepulsiveObstacleCountMax*repulsive.DiscPoints
}

// repulsiveStartLength returns the length of the first circle in units of scale.
func repulsiveStartLength(c Config) float64 {
	_, start := repulsiveDomain(c)
	return 2 * math.Pi * start
}

// repulsiveStage is the stage of the repulsive generator: a bounded loop of iterations, several to a launch.
func repulsiveStage(c Config) exec.Stage {
	return pipeline.StageFunc("loop", exec.Bounded, func(b exec.Builder) (exec.Enqueue, error) {
		a := newAllocator(b)
		envs, stride := b.Envs(), int32(c.NumPoints)
		schedule := newRepulsiveSchedule(c)
		domain, start := repulsiveDomain(c)
		length := repulsiveStartLength(c)
		domainRadius, startRadius, lengthStart := float32(domain), float32(start), float32(length)
		lengthMin, lengthMax := float32(c.RepulsiveGrowMultMin*length), float32(c.RepulsiveGrowMultMax*length)
		discsMin, discsMax := int32(c.RepulsiveObstacleCountMin), int32(c.RepulsiveObstacleCountMax)
		radiusMin, radiusMax := float32(c.RepulsiveObstacleRadiusFracMin), float32(c.RepulsiveObstacleRadiusFracMax)
		ratchet, step, areaTolerance := float32(1+c.RepulsiveRatchetRate), float32(c.RepulsiveTau), float32(*c.RepulsiveStallAreaTol)
		scale, resampleEvery, obstacleStride := float32(c.Scale), int32(c.RepulsiveResampleEvery), repulsiveObstacles(c)
		keepDiscs := int32(1)
		if *c.RepulsiveDeactivateObstacles {
			keepDiscs = 0
		}

		seed, loop := b.Seed(), output[kernel.Vec2](a, LoopOutput, c.NumPoints)
		obstacle, obstacles := perEnv[kernel.Vec3](a, obstacleStride), perEnv[int32](a, 1)
		lengthNow, lengthEnd, area := perEnv[float32](a, 1), perEnv[float32](a, 1), perEnv[float32](a, 1)
		iterations := output[int32](a, IterationsOutput, 1)
		unfinished := try(a, func() (exec.Array[int32], error) { return exec.Scratch[int32](b, 1) })
		windows := try(a, func() (exec.Array[int32], error) { return pipeline.Diagnostic[int32](b, WindowsOutput, 1) })
		wall := table(a, repulsiveWall(c))
		filter := table(a, schedule.filter)

		body := func(lc *exec.LaunchContext, iteration int) {
			for _, s := range schedule.launches {
				if s.first != iteration {
					continue
				}
				if s.opens != 0 {
					repulsive.Window(lc, 1, a.active.Array(), s.opens, unfinished, windows)
				}
				repulsive.Grow(lc, envs, a.active.Array(), stride, int32(obstacleStride), wallPoints, int32(s.before), int32(s.points), int32(s.first), int32(s.last),
					resampleEvery, keepDiscs, ratchet, step, obstacle, obstacles, filter, int32(s.filterBase), lengthEnd, lengthNow, iterations, loop)
				if s.stops {
					repulsive.Stop(lc, envs, a.active.Array(), stride, int32(s.points), int32(s.last), int32(s.lastSpreads), s.all,
						areaTolerance, scale, lengthEnd, lengthNow, area, loop, iterations, unfinished)
				}
			}
		}
		return func(lc *exec.LaunchContext) {
			repulsive.Begin(lc, envs, a.active.Array(), seed, stride, int32(schedule.launches[0].before), discsMin, discsMax,
				domainRadius, startRadius, radiusMin, radiusMax, lengthStart, lengthMin, lengthMax,
				wall, obstacle, obstacles, lengthNow, lengthEnd, area, iterations, loop)
			exec.BoundedLoop(lc, schedule.iterations, body,
				exec.LoopOptions{Active: unfinished, FirstCheck: schedule.firstCheck, CheckEvery: schedule.checkEvery})
		}, a.err
	})
}

// table allocates an array that all envs read, with these values.
func table[T kernel.Element](a *allocator, values []T) exec.Array[T] {
	array := try(a, func() (exec.Array[T], error) { return exec.Scratch[T](a.Builder, len(values)) })
	if a.err == nil {
		a.err = array.Write(values)
	}
	return array
}

// repulsiveWall returns the points of the wall with the arc length between them as their mass.
func repulsiveWall(c Config) []kernel.Vec3 {
	radius, _ := repulsiveDomain(c)
	wall := make([]kernel.Vec3, wallPoints)
	for i := range wall {
		sin, cos := math.Sincos(2 * math.Pi * float64(i) / wallPoints)
		wall[i] = kernel.V3(float32(radius*cos), float32(radius*sin), float32(2*math.Pi*radius/wallPoints))
	}
	return wall
}

// checkRepulsive validates the fields of the repulsive generator against one another. c has its defaults.
func (c Config) checkRepulsive() []*ConfigError {
	var wrong []*ConfigError
	refuse := func(field string, value any, format string, args ...any) {
		wrong = append(wrong, &ConfigError{Field: field, Value: fmt.Sprint(value), Allowed: fmt.Sprintf(format, args...)})
	}
	if c.RepulsiveGrowMultMax < c.RepulsiveGrowMultMin {
		refuse("repulsive_grow_mult_max", shortest(c.RepulsiveGrowMultMax), "at least repulsive_grow_mult_min (%s)", shortest(c.RepulsiveGrowMultMin))
	}
	if c.RepulsiveObstacleCountMax < c.RepulsiveObstacleCountMin {
		refuse("repulsive_obstacle_count_max", c.RepulsiveObstacleCountMax, "at least repulsive_obstacle_count_min (%d)", c.RepulsiveObstacleCountMin)
	}
	if c.RepulsiveObstacleRadiusFracMax < c.RepulsiveObstacleRadiusFracMin {
		refuse("repulsive_obstacle_radius_frac_max", shortest(c.RepulsiveObstacleRadiusFracMax), "at least repulsive_obstacle_radius_frac_min (%s)", shortest(c.RepulsiveObstacleRadiusFracMin))
	}
	if c.Generator == Repulsive {
		stages := c.repulsiveStages()
		for i, n := range stages {
			if n%4 != 0 || i > 0 && n <= stages[i-1] {
				refuse("repulsive_stages", listText(stages), "multiples of 4, each larger than the one before")
				break
			}
		}
		if last := stages[len(stages)-1]; last != c.NumPoints {
			refuse("repulsive_stages", listText(stages), "a list that ends with num_points (%d)", c.NumPoints)
		}
		if c.NumPoints > repulsive.MaxPoints {
			refuse("num_points", c.NumPoints, "at most %d with the repulsive generator", repulsive.MaxPoints)
		}
	}
	if n := repulsiveIterations(c); n > maxIterations {
		refuse("repulsive_ratchet_rate", shortest(c.RepulsiveRatchetRate), "so large that growing by repulsive_grow_mult_max (%s) and settling takes at most %d iterations; it would take %.0f",
			shortest(c.RepulsiveGrowMultMax), maxIterations, n)
	}
	return wrong
}
