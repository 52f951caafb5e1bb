package track

import (
	"github.com/trackgen-go/trackgen/exec"
	"github.com/trackgen-go/trackgen/kernel"
	"github.com/trackgen-go/trackgen/kernels/centerline"
	"github.com/trackgen-go/trackgen/pipeline"
)

var polarSpec = Spec{
	Stage:    polarStage,
	Kernels:  centerline.Defs,
	Shortest: shortestFitted,
	Stride:   func(c Config) int { return c.PolarNumKnots * c.NumPointsPerSegment },
}

// polarStage is the stage of the polar generator.
func polarStage(c Config) exec.Stage {
	return pipeline.StageFunc("loop", exec.Static, func(b exec.Builder) (exec.Enqueue, error) {
		a := newAllocator(b)
		envs := b.Envs()
		knots, samples, points := int32(c.PolarNumKnots), int32(c.NumPointsPerSegment), int32(c.NumPoints)
		radialJitter, angularJitter, scale := float32(*c.PolarRadialJitter), float32(*c.PolarAngularJitter), float32(c.Scale)

		seed, loop := b.Seed(), output[kernel.Vec2](a, LoopOutput, c.NumPoints)
		knot := perEnv[kernel.Vec2](a, c.PolarNumKnots)
		dense := perEnv[kernel.Vec2](a, c.PolarNumKnots*c.NumPointsPerSegment)
		end := perEnv[float32](a, c.PolarNumKnots*c.NumPointsPerSegment)
		box := perEnv[kernel.Vec2](a, 2)
		return func(lc *exec.LaunchContext) {
			centerline.Polar(lc, envs, a.active.Array(), seed, knots, samples, points, radialJitter, angularJitter, scale,
				knot, dense, end, box, loop)
		}, a.err
	})
}
