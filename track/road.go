package track

import (
	"github.com/trackgen-go/trackgen/exec"
	"github.com/trackgen-go/trackgen/kernel"
	"github.com/trackgen-go/trackgen/kernels/centerline"
	"github.com/trackgen-go/trackgen/kernels/inflation"
	"github.com/trackgen-go/trackgen/kernels/relaxation"
	"github.com/trackgen-go/trackgen/pipeline"
)

// spaceStage puts the points of a loop at constant distance.
func spaceStage(c Config) exec.Stage {
	return pipeline.StageFunc("space", exec.Static, func(b exec.Builder) (exec.Enqueue, error) {
		a := newAllocator(b)
		envs, points, maxPoints, spacing := b.Envs(), int32(c.NumPoints), int32(c.NMax), float32(c.Spacing)
		loop := input[kernel.Vec2](a, LoopOutput)
		if a.err == nil {
			a.err = loop.Check("space", LoopOutput, b.Device(), envs*c.NumPoints)
		}
		end := perEnv[float32](a, c.NumPoints)
		spaced := output[kernel.Vec2](a, spacedOutput, c.NMax)
		needed := output[int32](a, neededOutput, 1)
		count := output[int32](a, "count", 1)
		truncated := counter(a, truncatedOutput)
		return func(lc *exec.LaunchContext) {
			centerline.Space(lc, envs, a.active.Array(), points, maxPoints, spacing, loop, end, spaced, count, needed, truncated)
		}, a.err
	})
}

// counter is a number of all envs.
func counter(a *allocator, name string) exec.Array[int32] {
	return try(a, func() (exec.Array[int32], error) { return pipeline.SharedOutput[int32](a.Builder, name, 1) })
}

// relaxStage pushes the spaced loop apart.
func relaxStage(c Config) exec.Stage {
	return pipeline.StageFunc("relax", exec.Static, func(b exec.Builder) (exec.Enqueue, error) {
		a := newAllocator(b)
		envs, stride := b.Envs(), int32(c.NMax)
		distance := 2 * c.HalfWidth * (1 + *c.RelaxMargin)
		halfWidth, target := float32(c.HalfWidth), float32(distance)
		reach := float32(distance * (1 + *c.RelaxSepCacheSkin))
		minRadius := float32(c.HalfWidth * (1 + *c.RelaxMargin))
		band, sweeps, refresh, slots := int32(c.RelaxBand), int32(c.RelaxIters), int32(c.RelaxSepEvery), int32(*c.RelaxSepCacheSlots)
		firstAccelerated := int32(c.RelaxChebyStart)
		if c.RelaxAccel == "none" {
			firstAccelerated = sweeps
		}
		smoothPasses, spacingSweeps := int32(*c.RelaxSmoothPasses), int32(*c.RelaxSmoothSpacingIters)
		separation, spacing, bend := float32(*c.RelaxSepRelax), float32(*c.RelaxSpcRelax), float32(*c.RelaxBendRelax)
		gamma := float32(c.RelaxChebyGamma)

		point, count := input[kernel.Vec2](a, spacedOutput), input[int32](a, "count")
		omega := try(a, func() (exec.Array[float32], error) { return exec.Scratch[float32](b, c.RelaxIters) })
		if a.err == nil {
			a.err = omega.Write(chebyshevWeights(c.RelaxIters, int(firstAccelerated), *c.RelaxChebyRho))
		}
		relaxed := output[kernel.Vec2](a, relaxedOutput, c.NMax)
		dropped := counter(a, droppedOutput)
		if !c.relaxesLarge() {
			return func(lc *exec.LaunchContext) {
				relaxation.Relax(lc, envs, a.active.Array(), stride, point, count, halfWidth, target, reach, minRadius,
					band, sweeps, refresh, slots, firstAccelerated, smoothPasses, spacingSweeps,
					separation, spacing, bend, gamma, omega, relaxed, dropped)
			}, a.err
		}
		x, pull := perEnv[kernel.Vec2](a, 2*c.NMax), perEnv[kernel.Vec2](a, c.NMax)
		edge := perEnv[float32](a, c.NMax)
		closeBeads, closeCount := perEnv[int32](a, c.NMax*int(slots)), perEnv[int32](a, c.NMax)
		boxLo, boxHi := perEnv[kernel.Vec2](a, relaxBoxes(c)), perEnv[kernel.Vec2](a, relaxBoxes(c))
		return func(lc *exec.LaunchContext) {
			relaxation.RelaxLarge(lc, envs, a.active.Array(), stride, point, count, halfWidth, target, reach, minRadius,
				band, sweeps, refresh, slots, firstAccelerated, smoothPasses, spacingSweeps,
				separation, spacing, bend, gamma, omega,
				x, pull, edge, closeBeads, closeCount, boxLo, boxHi, relaxed, dropped)
		}, a.err
	})
}

// relaxesLarge reports whether the loops are too long for the relaxation in shared memory.
func (c Config) relaxesLarge() bool {
	return c.NMax > relaxation.MaxPoints || *c.RelaxSepCacheSlots > relaxation.MaxSlots
}

func relaxBoxes(c Config) int { return (c.NMax + relaxation.BlockSize - 1) / relaxation.BlockSize }

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

// roadPlan says what the road is built around.
type roadPlan struct {
	line  string // output with the points of the centreline
	again bool   // they are to be spaced evenly

	widths func(*allocator) exec.Array[kernel.Vec2] // to the right and to the left, as kernel inflation.Even reads them
	varies bool                                     // one pair for each point, else one for all
	exact  bool                                     // areas are summed as far from the origin
}

// constantWidth gives the road one width on either side.
func constantWidth(width float64) func(*allocator) exec.Array[kernel.Vec2] {
	return func(a *allocator) exec.Array[kernel.Vec2] {
		return staged(a, []kernel.Vec2{kernel.V2(float32(width), float32(width))})
	}
}

// stages make the road: its points and their widths, their height, and what is around them.
func (p roadPlan) stages(c Config) []exec.Stage {
	return []exec.Stage{p.evenStage(c), levelStage(c), p.inflateStage(c)}
}

// evenStage spaces the points evenly and measures the line through them.
func (p roadPlan) evenStage(c Config) exec.Stage {
	return pipeline.StageFunc("even", exec.Static, func(b exec.Builder) (exec.Enqueue, error) {
		a := newAllocator(b)
		envs, maxPoints, again, varies := b.Envs(), int32(c.NMax), oneIf(p.again), oneIf(p.varies)
		point, count, sides := input[kernel.Vec2](a, p.line), input[int32](a, "count"), p.widths(a)
		loop := output[kernel.Vec2](a, evenOutput, c.NMax)
		right, left := output[float32](a, "width_right", c.NMax), output[float32](a, "width_left", c.NMax)
		arclen, length := output[float32](a, "arclen", c.NMax), output[float32](a, "length", 1)
		return func(lc *exec.LaunchContext) {
			inflation.Even(lc, envs, a.active.Array(), maxPoints, again, varies, point, sides, count,
				loop, right, left, arclen, length)
		}, a.err
	})
}

// levelStage gives all points one height.
func levelStage(c Config) exec.Stage {
	return pipeline.StageFunc("elevation", exec.Static, func(b exec.Builder) (exec.Enqueue, error) {
		a := newAllocator(b)
		envs, maxPoints, zBase := b.Envs(), int32(c.NMax), float32(c.ZBase)
		height := output[float32](a, "height", c.NMax)
		return func(lc *exec.LaunchContext) {
			inflation.Level(lc, envs, a.active.Array(), maxPoints, zBase, height)
		}, a.err
	})
}

// inflateStage builds the road around the points.
func (p roadPlan) inflateStage(c Config) exec.Stage {
	return pipeline.StageFunc("inflate", exec.Static, func(b exec.Builder) (exec.Enqueue, error) {
		a := newAllocator(b)
		envs, n, exact := b.Envs(), c.NMax, oneIf(p.exact)
		loop, count := input[kernel.Vec2](a, evenOutput), input[int32](a, "count")
		right, left := input[float32](a, "width_right"), input[float32](a, "width_left")
		height := input[float32](a, "height")
		outer, center := output[kernel.Vec3](a, "outer", n), output[kernel.Vec3](a, "center", n)
		inner, tangent := output[kernel.Vec3](a, "inner", n), output[kernel.Vec3](a, "tangent", n)
		normal, winding := output[kernel.Vec3](a, "normal", n), output[float32](a, "winding", 1)
		return func(lc *exec.LaunchContext) {
			inflation.Inflate(lc, envs, a.active.Array(), int32(n), exact, loop, right, left, height, count,
				outer, center, inner, tangent, normal, winding)
		}, a.err
	})
}

// oneIf is a condition as kernels take it: 1 or 0.
func oneIf(is bool) int32 {
	if is {
		return 1
	}
	return 0
}

// validateStage tests the roads.
func validateStage(c Config) exec.Stage {
	return pipeline.StageFunc("validate", exec.Static, func(b exec.Builder) (exec.Enqueue, error) {
		a := newAllocator(b)
		envs, maxPoints, halfWidth := b.Envs(), int32(c.NMax), float32(c.HalfWidth)
		minHalfWidth, turningTolerance := float32(*c.WFloor), float32(c.TurningTol)
		thickness := float32((1 - *c.RelaxTol) * c.HalfWidth)
		band, checkBorders := int32(c.RelaxBand), oneIf(c.ValidityBorderCheck)
		loop, outer, inner := input[kernel.Vec2](a, evenOutput), input[kernel.Vec3](a, "outer"), input[kernel.Vec3](a, "inner")
		length, count, needed := input[float32](a, "length"), input[int32](a, "count"), input[int32](a, neededOutput)
		turn, bent, gap := perEnv[float32](a, c.NMax), perEnv[float32](a, c.NMax), perEnv[float32](a, c.NMax)
		crossed := perEnv[int32](a, c.NMax)
		reason, valid := output[int32](a, "reason", 1), output[int32](a, "valid", 1)
		return func(lc *exec.LaunchContext) {
			inflation.Validate(lc, envs, a.active.Array(), maxPoints, halfWidth, minHalfWidth, turningTolerance, thickness,
				band, checkBorders, loop, outer, inner, length, count, needed, turn, bent, gap, crossed, reason, valid)
		}, a.err
	})
}
