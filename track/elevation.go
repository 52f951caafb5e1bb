package track

import (
	"fmt"
	"slices"

	"github.com/trackgen-go/trackgen/exec"
	"github.com/trackgen-go/trackgen/kernel"
	"github.com/trackgen-go/trackgen/kernels/elevation"
	"github.com/trackgen-go/trackgen/kernels/inflation"
	"github.com/trackgen-go/trackgen/pipeline"
	"github.com/trackgen-go/trackgen/pipeline/allocate"
)

// Names of the outputs that a generation has if the tracks have hills.
const (
	planArclenOutput = "plan_arclen" // [E*N_max] arc length before each point in plan view
	planLengthOutput = "plan_length" // [E] length in plan view
	knotsOutput      = "knots"       // [E*control_points] heights of the knots, of uniform and random_walk
	steepOutput      = "steep"       // [E] 1 if the road is steeper than validity.max_grade, else 0
)

// hasHills reports whether the points of a track may have different heights.
func (c Config) hasHills() bool { return c.Elevation.Profile != elevation.ProfileNames[elevation.Flat] }

// planOutputs returns the names of the outputs with the arc lengths and the length in plan view.
func (c Config) planOutputs() (arclen, length string) {
	if c.hasHills() {
		return planArclenOutput, planLengthOutput
	}
	return "arclen", "length"
}

// checkElevation validates the fields of the heights against one another.
func (c Config) checkElevation() []error {
	if c.Elevation.Max >= c.Elevation.Min {
		return nil
	}
	return []error{&ConfigError{Field: "elevation.max", Value: shortest(c.Elevation.Max),
		Allowed: fmt.Sprintf("at least elevation.min (%s)", shortest(c.Elevation.Min))}}
}

// elevationStage gives the points of every track their heights.
func elevationStage(c Config) exec.Stage {
	if c.hasHills() {
		return liftStage(c)
	}
	return levelStage(c)
}

// levelStage gives all points one height.
func levelStage(c Config) exec.Stage {
	return pipeline.StageFunc("elevation", exec.Static, func(b exec.Builder) (exec.Enqueue, error) {
		a := allocate.New(b)
		envs, maxPoints, z := b.Envs(), int32(c.Output.MaxPoints), float32(c.Road.Height)
		height := allocate.Output[float32](a, "height", c.Output.MaxPoints)
		return func(lc *exec.LaunchContext) {
			inflation.Level(lc, envs, a.Active.Array(), maxPoints, z, height)
		}, a.Err
	})
}

// liftStage draws the heights of every track and measures its line in space.
func liftStage(c Config) exec.Stage {
	return pipeline.StageFunc("elevation", exec.Static, func(b exec.Builder) (exec.Enqueue, error) {
		a := allocate.New(b)
		envs, seed, n, knots, e := b.Envs(), b.Seed(), c.Output.MaxPoints, c.Elevation.ControlPoints, c.Elevation
		planArclen, planLength := c.planOutputs()
		loop, count := allocate.Input[kernel.Vec2](a, evenOutput), allocate.Input[int32](a, "count")
		arc, perimeter := allocate.Input[float32](a, planArclen), allocate.Input[float32](a, planLength)
		knotArc, walk := allocate.PerEnv[float32](a, knots), allocate.PerEnv[float32](a, knots)
		knot, height := allocate.Output[float32](a, knotsOutput, knots), allocate.Output[float32](a, "height", n)
		arclen, length := allocate.Output[float32](a, "arclen", n), allocate.Output[float32](a, "length", 1)
		steep := allocate.Output[int32](a, steepOutput, 1)
		profile := int32(slices.Index(elevation.ProfileNames, e.Profile))
		return func(lc *exec.LaunchContext) {
			elevation.Lift(lc, envs, elevation.LiftArgs{
				Active: a.Active.Array(), Seed: seed, MaxPoints: int32(n), Profile: profile, Knots: int32(knots),
				Level: float32(c.Road.Height), Low: float32(e.Min), High: float32(e.Max), MaxStep: float32(e.MaxStep),
				Amplitude: float32(e.NoiseAmplitude), Harmonics: int32(e.NoiseHarmonics),
				MaxGrade: float32(c.Validity.MaxGrade), Loop: loop, Count: count, Arc: arc, Perimeter: perimeter,
				KnotArc: knotArc, Walk: walk, Knot: knot, Height: height, Arclen: arclen, Length: length, Steep: steep,
			})
		}, a.Err
	})
}

// steep returns which tracks are steeper than they may be, as kernel inflation.Validate reads them.
func (c Config) steep(a *allocate.Allocator) exec.Array[int32] {
	if c.hasHills() {
		return allocate.Input[int32](a, steepOutput)
	}
	return allocate.Staged(a, []int32{0})
}
