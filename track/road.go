package track

import (
	"github.com/trackgen-go/trackgen/exec"
	"github.com/trackgen-go/trackgen/kernel"
	"github.com/trackgen-go/trackgen/kernels/centerline"
	"github.com/trackgen-go/trackgen/kernels/inflation"
	"github.com/trackgen-go/trackgen/kernels/relaxation"
	"github.com/trackgen-go/trackgen/pipeline"
	"github.com/trackgen-go/trackgen/pipeline/allocate"
)

// spaceStage places points at constant spacing on the loop.
func spaceStage(c Config) exec.Stage {
	return pipeline.StageFunc("space", exec.Static, func(b exec.Builder) (exec.Enqueue, error) {
		a := allocate.New(b)
		envs, points, maxPoints := b.Envs(), int32(c.Output.LoopPoints), int32(c.Output.MaxPoints)
		size, perEnvs := c.size(a)
		loop := allocate.Input[kernel.Vec2](a, LoopOutput)
		if a.Err == nil {
			a.Err = loop.Check("space", LoopOutput, b.Device(), envs*c.Output.LoopPoints)
		}
		end := allocate.PerEnv[float32](a, c.Output.LoopPoints)
		spaced := allocate.Output[kernel.Vec2](a, spacedOutput, c.Output.MaxPoints)
		needed := allocate.Output[int32](a, neededOutput, 1)
		count := allocate.Output[int32](a, "count", 1)
		truncated := allocate.Counter(a, truncatedOutput)
		return func(lc *exec.LaunchContext) {
			centerline.Space(lc, envs, centerline.SpaceArgs{
				Active: a.Active.Array(), NumPoints: points, MaxPoints: maxPoints, PerEnv: perEnvs, Size: size,
				Loop: loop, End: end, Spaced: spaced, Count: count, Needed: needed, Truncated: truncated,
			})
		}, a.Err
	})
}

// relaxStage pushes the points apart until the road fits.
func relaxStage(c Config) exec.Stage {
	return pipeline.StageFunc("relax", exec.Static, func(b exec.Builder) (exec.Enqueue, error) {
		a := allocate.New(b)
		envs, stride := b.Envs(), int32(c.Output.MaxPoints)
		size, perEnvs := c.size(a)
		band, sweeps := int32(c.Relax.Band), int32(c.Relax.Sweeps)
		refresh, slots := int32(c.Relax.SeparationSearchEvery), int32(c.separationSlots())
		firstAccelerated := int32(c.Relax.ChebyshevStart)
		if c.Relax.Acceleration == "none" {
			firstAccelerated = sweeps
		}
		smoothPasses, spacingSweeps := int32(c.Relax.SmoothingPasses), int32(c.Relax.SpacingSweeps)
		separation, spacing := float32(c.Relax.SeparationWeight), float32(c.Relax.SpacingWeight)
		bend := float32(c.Relax.BendingWeight)
		gamma := float32(c.Relax.ChebyshevUnderRelaxation)

		point, count := allocate.Input[kernel.Vec2](a, spacedOutput), allocate.Input[int32](a, "count")
		omega := allocate.Staged(a, chebyshevWeights(max(1, c.Relax.Sweeps), int(firstAccelerated),
			c.Relax.ChebyshevSpectralRadius))
		relaxed := allocate.Output[kernel.Vec2](a, relaxedOutput, c.Output.MaxPoints)
		dropped := allocate.Counter(a, droppedOutput)
		if !c.relaxesLarge() {
			args := func() relaxation.RelaxArgs {
				return relaxation.RelaxArgs{
					Active: a.Active.Array(), Stride: stride, Point: point, Count: count, PerEnv: perEnvs,
					Size: size, Band: band, Sweeps: sweeps, Refresh: refresh, Slots: slots, FirstAccelerated: firstAccelerated,
					SmoothPasses: smoothPasses, SpacingSweeps: spacingSweeps,
					WeightSeparation: separation, WeightSpacing: spacing, WeightBend: bend, Gamma: gamma,
					Omega: omega, Relaxed: relaxed, Dropped: dropped,
				}
			}
			if c.Output.MaxPoints <= relaxation.MaxPointsSmall {
				return func(lc *exec.LaunchContext) {
					relaxation.RelaxSmall(lc, envs, relaxation.RelaxSmallArgs(args()))
				}, a.Err
			}
			return func(lc *exec.LaunchContext) { relaxation.Relax(lc, envs, args()) }, a.Err
		}
		x, pull := allocate.PerEnv[kernel.Vec2](a, 2*c.Output.MaxPoints), allocate.PerEnv[kernel.Vec2](a, c.Output.MaxPoints)
		edge := allocate.PerEnv[float32](a, c.Output.MaxPoints)
		closeBeads := allocate.PerEnv[int32](a, c.Output.MaxPoints*int(slots))
		closeCount := allocate.PerEnv[int32](a, c.Output.MaxPoints)
		boxLo, boxHi := allocate.PerEnv[kernel.Vec2](a, relaxBoxes(c)), allocate.PerEnv[kernel.Vec2](a, relaxBoxes(c))
		return func(lc *exec.LaunchContext) {
			relaxation.RelaxLarge(lc, envs, relaxation.RelaxLargeArgs{
				Active: a.Active.Array(), Stride: stride, Point: point, Count: count, PerEnv: perEnvs,
				Size: size, Band: band, Sweeps: sweeps, Refresh: refresh, Slots: slots, FirstAccelerated: firstAccelerated,
				SmoothPasses: smoothPasses, SpacingSweeps: spacingSweeps,
				WeightSeparation: separation, WeightSpacing: spacing, WeightBend: bend, Gamma: gamma, Omega: omega,
				X: x, Pull: pull, Edge: edge, CloseBeads: closeBeads, CloseCount: closeCount, BoxLo: boxLo,
				BoxHi: boxHi, Relaxed: relaxed, Dropped: dropped,
			})
		}, a.Err
	})
}

// relaxesLarge reports whether the loops are too long for the relaxation in shared memory.
func (c Config) relaxesLarge() bool {
	return c.Output.MaxPoints > relaxation.MaxPoints || c.separationSlots() > relaxation.MaxSlots
}

// separationSlots returns how many close points each point remembers: there are at most as many as points.
func (c Config) separationSlots() int { return min(c.Relax.SeparationCacheSlots, c.Output.MaxPoints) }

func relaxBoxes(c Config) int {
	return (c.Output.MaxPoints + relaxation.BlockSize - 1) / relaxation.BlockSize
}

// chebyshevWeights returns the weight of each sweep: 1 at the first accelerated one, then 2/(2-rho^2), then
// 4/(4-rho^2*previous) (docs/spec/pipeline.md, section 6; Wang, "A Chebyshev Semi-Iterative Approach", 2015).
func chebyshevWeights(sweeps, first int, rho float64) []float32 {
	weights := make([]float32, sweeps)
	previous := 1.0
	for k := first; k < sweeps; k++ {
		switch k - first {
		case 0:
			previous = 1
		case 1:
			previous = 2 / (2 - rho*rho)
		default:
			previous = 4 / (4 - rho*rho*previous)
		}
		weights[k] = float32(previous)
	}
	return weights
}

// roadPlan describes the line around which the road is built.
type roadPlan struct {
	line  string // output with the points of the centreline
	again bool   // whether the points must be spaced evenly first

	// widths are those to the right and to the left, as kernel inflation.Even reads them.
	widths   func(*allocate.Allocator) exec.Array[kernel.Vec2]
	perPoint bool // one pair for each point
	perEnv   bool // one pair for each env, and lines that may be turned
	exact    bool // areas are summed precisely, for lines far from the origin

	elevation exec.Stage // gives the points their heights
}

// constantWidth gives all points of the road one width on either side.
func constantWidth(width float64) func(*allocate.Allocator) exec.Array[kernel.Vec2] {
	return func(a *allocate.Allocator) exec.Array[kernel.Vec2] {
		return allocate.Staged(a, []kernel.Vec2{kernel.V2(float32(width), float32(width))})
	}
}

// stages makes the stages of the road: the points and their widths, their height, and the road around them.
func (p roadPlan) stages(c Config) []exec.Stage {
	return []exec.Stage{p.evenStage(c), p.elevation, p.inflateStage(c)}
}

// turned returns the ways in which lines are turned, as kernel inflation.Even reads them.
func (p roadPlan) turned(a *allocate.Allocator) exec.Array[int32] {
	if p.perEnv {
		return allocate.Input[int32](a, turnedOutput)
	}
	return allocate.Staged(a, []int32{0})
}

// evenStage spaces the points evenly and measures the line through them.
func (p roadPlan) evenStage(c Config) exec.Stage {
	return pipeline.StageFunc("even", exec.Static, func(b exec.Builder) (exec.Enqueue, error) {
		a := allocate.New(b)
		envs, maxPoints, again := b.Envs(), int32(c.Output.MaxPoints), allocate.Bit(p.again)
		perPoints, perEnvs := allocate.Bit(p.perPoint), allocate.Bit(p.perEnv)
		point, count, sides := allocate.Input[kernel.Vec2](a, p.line), allocate.Input[int32](a, "count"), p.widths(a)
		turned := p.turned(a)
		loop := allocate.Output[kernel.Vec2](a, evenOutput, c.Output.MaxPoints)
		right, left := allocate.Output[float32](a, "width_right", c.Output.MaxPoints),
			allocate.Output[float32](a, "width_left", c.Output.MaxPoints)
		planArclen, planLength := c.planOutputs()
		arclen := allocate.Output[float32](a, planArclen, c.Output.MaxPoints)
		length := allocate.Output[float32](a, planLength, 1)
		return func(lc *exec.LaunchContext) {
			inflation.Even(lc, envs, inflation.EvenArgs{
				Active: a.Active.Array(), MaxPoints: maxPoints, Again: again, PerPoint: perPoints, PerEnv: perEnvs,
				Point: point, Sides: sides, Turned: turned, Count: count, Loop: loop, WidthRight: right, WidthLeft: left,
				Arclen: arclen, Length: length,
			})
		}, a.Err
	})
}

// inflateStage builds the road around the points.
func (p roadPlan) inflateStage(c Config) exec.Stage {
	return pipeline.StageFunc("inflate", exec.Static, func(b exec.Builder) (exec.Enqueue, error) {
		a := allocate.New(b)
		envs, n := b.Envs(), c.Output.MaxPoints
		exact, hills, banked := allocate.Bit(p.exact), allocate.Bit(c.hasHills()), allocate.Bit(c.isBanked())
		factor, limit := float32(c.Banking.Factor), float32(c.Banking.MaxAngle)
		transition := float32(c.Banking.Transition)
		loop, count := allocate.Input[kernel.Vec2](a, evenOutput), allocate.Input[int32](a, "count")
		right, left := allocate.Input[float32](a, "width_right"), allocate.Input[float32](a, "width_left")
		height := allocate.Input[float32](a, "height")
		perimeter, mean, bank := c.bankArrays(a)
		outer, center := allocate.Output[kernel.Vec3](a, "outer", n), allocate.Output[kernel.Vec3](a, "center", n)
		inner, tangent := allocate.Output[kernel.Vec3](a, "inner", n), allocate.Output[kernel.Vec3](a, "tangent", n)
		normal, winding := allocate.Output[kernel.Vec3](a, "normal", n), allocate.Output[float32](a, "winding", 1)
		return func(lc *exec.LaunchContext) {
			inflation.Inflate(lc, envs, inflation.InflateArgs{
				Active: a.Active.Array(), MaxPoints: int32(n), Exact: exact, Hills: hills, Banked: banked,
				Factor: factor, Limit: limit, Transition: transition, Loop: loop, WidthRight: right, WidthLeft: left,
				Height: height, Count: count, Perimeter: perimeter, Mean: mean, Bank: bank,
				Outer: outer, Center: center, Inner: inner, Tangent: tangent, Normal: normal, Winding: winding,
			})
		}, a.Err
	})
}

// validateStage tests the roads.
func validateStage(c Config) exec.Stage {
	return pipeline.StageFunc("validate", exec.Static, func(b exec.Builder) (exec.Enqueue, error) {
		a := allocate.New(b)
		envs, maxPoints := b.Envs(), int32(c.Output.MaxPoints)
		size, perEnvs := c.size(a)
		minHalfWidth, turningTolerance := float32(c.Validity.MinHalfWidth), float32(c.Validity.TurningTolerance)
		checkBorders, hills, steep := allocate.Bit(c.Validity.CheckBorders), allocate.Bit(c.hasHills()), c.steep(a)
		loop := allocate.Input[kernel.Vec2](a, evenOutput)
		outer, inner := allocate.Input[kernel.Vec3](a, "outer"), allocate.Input[kernel.Vec3](a, "inner")
		_, planLength := c.planOutputs()
		length, count := allocate.Input[float32](a, planLength), allocate.Input[int32](a, "count")
		needed := allocate.Input[int32](a, neededOutput)
		n := c.Output.MaxPoints
		turn, bent, gap := allocate.PerEnv[float32](a, n), allocate.PerEnv[float32](a, n), allocate.PerEnv[float32](a, n)
		crossed := allocate.PerEnv[int32](a, c.Output.MaxPoints)
		reason, valid := allocate.Output[int32](a, "reason", 1), allocate.Output[int32](a, "valid", 1)
		return func(lc *exec.LaunchContext) {
			inflation.Validate(lc, envs, inflation.ValidateArgs{
				Active: a.Active.Array(), MaxPoints: maxPoints, PerEnv: perEnvs, Size: size,
				MinHalfWidth: minHalfWidth, TurningTolerance: turningTolerance, CheckBorders: checkBorders,
				Hills: hills, Steep: steep, Loop: loop, Outer: outer, Inner: inner, Length: length, Count: count, Needed: needed,
				Turn: turn, Bent: bent, Gap: gap, Crossed: crossed, Reason: reason, Valid: valid,
			})
		}, a.Err
	})
}
