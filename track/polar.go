package track

import (
	"github.com/trackgen-go/trackgen/exec"
	"github.com/trackgen-go/trackgen/kernel"
	"github.com/trackgen-go/trackgen/kernels/centerline"
	"github.com/trackgen-go/trackgen/pipeline"
	"github.com/trackgen-go/trackgen/pipeline/allocate"
)

var polarSpec = Spec{
	Stage:    polarStage,
	Kernels:  centerline.Defs,
	Shortest: shortestFitted,
	Stride:   func(c Config) int { return polarKnots(c) * c.Spline.SamplesPerSegment },
}

// polarKnots returns the number of knots.
func polarKnots(c Config) int { return max(centerline.MinKnots, c.Polar.Knots) }

func polarStage(c Config) exec.Stage {
	return pipeline.StageFunc("loop", exec.Static, func(b exec.Builder) (exec.Enqueue, error) {
		a := allocate.New(b)
		envs := b.Envs()
		knots, samples, points := int32(polarKnots(c)), int32(c.Spline.SamplesPerSegment), int32(c.Output.LoopPoints)
		radialJitter := float32(min(c.Polar.RadialJitter, centerline.MaxRadialJitter))
		angularJitter := float32(min(c.Polar.AngularJitter, centerline.MaxAngularJitter))
		scale := float32(c.Scale)

		seed, loop := b.Seed(), allocate.Output[kernel.Vec2](a, LoopOutput, c.Output.LoopPoints)
		knot := allocate.PerEnv[kernel.Vec2](a, polarKnots(c))
		dense := allocate.PerEnv[kernel.Vec2](a, polarKnots(c)*c.Spline.SamplesPerSegment)
		end := allocate.PerEnv[float32](a, polarKnots(c)*c.Spline.SamplesPerSegment)
		box := allocate.PerEnv[kernel.Vec2](a, 2)
		return func(lc *exec.LaunchContext) {
			centerline.Polar(lc, envs, centerline.PolarArgs{
				Active: a.Active.Array(), Seed: seed, Knots: knots, Samples: samples, NumPoints: points,
				RadialJitter: radialJitter, AngularJitter: angularJitter, Scale: scale,
				Knot: knot, Dense: dense, End: end, Box: box, Loop: loop,
			})
		}, a.Err
	})
}
