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
	Stride:   func(c Config) int { return c.Polar.Knots * c.Spline.SamplesPerSegment },
}

func polarStage(c Config) exec.Stage {
	return pipeline.StageFunc("loop", exec.Static, func(b exec.Builder) (exec.Enqueue, error) {
		a := newAllocator(b)
		envs := b.Envs()
		knots, samples, points := int32(c.Polar.Knots), int32(c.Spline.SamplesPerSegment), int32(c.Output.LoopPoints)
		radialJitter, angularJitter := float32(c.Polar.RadialJitter), float32(c.Polar.AngularJitter)
		scale := float32(c.Scale)

		seed, loop := b.Seed(), output[kernel.Vec2](a, LoopOutput, c.Output.LoopPoints)
		knot := perEnv[kernel.Vec2](a, c.Polar.Knots)
		dense := perEnv[kernel.Vec2](a, c.Polar.Knots*c.Spline.SamplesPerSegment)
		end := perEnv[float32](a, c.Polar.Knots*c.Spline.SamplesPerSegment)
		box := perEnv[kernel.Vec2](a, 2)
		return func(lc *exec.LaunchContext) {
			centerline.Polar(lc, envs, centerline.PolarArgs{
				Active: a.active.Array(), Seed: seed, Knots: knots, Samples: samples, NumPoints: points,
				RadialJitter: radialJitter, AngularJitter: angularJitter, Scale: scale,
				Knot: knot, Dense: dense, End: end, Box: box, Loop: loop,
			})
		}, a.err
	})
}
