package track

import (
	"github.com/trackgen-go/trackgen/exec"
	"github.com/trackgen-go/trackgen/kernel"
	"github.com/trackgen-go/trackgen/kernels/checkpoint"
	"github.com/trackgen-go/trackgen/pipeline"
)

var checkpointSpec = Spec{
	Stage:    checkpointStage,
	Kernels:  checkpoint.Defs,
	Shortest: shortestFitted,
	Stride:   func(c Config) int { return c.CheckpointBestOfK * max(c.NumPoints, c.CheckpointCount) },
}

// checkpointStage is the stage of the checkpoint generator. Clipping goes on until no crossing is left, where the
// reference system cuts a loop once (docs/spec/differences.md).
func checkpointStage(c Config) exec.Stage {
	return pipeline.StageFunc("loop", exec.Static, func(b exec.Builder) (exec.Enqueue, error) {
		a := newAllocator(b)
		envs := b.Envs()
		candidates, checkpoints, points := int32(c.CheckpointBestOfK), int32(c.CheckpointCount), int32(c.NumPoints)
		scale := float32(c.Scale)
		minRadius, angleJitter := float32(*c.CheckpointRadiusMinFrac), float32(*c.CheckpointAngleJitter)
		turnRate, gain := float32(c.CheckpointTurnRate), float32(c.CheckpointSteerGain)
		lookahead := float32(*c.CheckpointLookaheadFrac)
		clipping := int32(0)
		if c.CheckpointClipFallback {
			clipping = 1
		}

		seed, loop := b.Seed(), output[kernel.Vec2](a, LoopOutput, c.NumPoints)
		ring := perEnv[kernel.Vec2](a, c.CheckpointBestOfK*c.CheckpointCount)
		heading := perEnv[float32](a, c.CheckpointBestOfK*c.NumPoints) // once the points are there, arc lengths
		drift := perEnv[float32](a, c.CheckpointBestOfK)
		mean := perEnv[kernel.Vec2](a, c.CheckpointBestOfK)
		point := perEnv[kernel.Vec2](a, c.CheckpointBestOfK*c.NumPoints)
		crossings := perEnv[int32](a, c.CheckpointBestOfK)
		boxLo := perEnv[kernel.Vec2](a, c.CheckpointBestOfK*crossingBoxes(c))
		boxHi := perEnv[kernel.Vec2](a, c.CheckpointBestOfK*crossingBoxes(c))
		kept := perEnv[int32](a, 1)
		return func(lc *exec.LaunchContext) {
			checkpoint.Steer(lc, envs, a.active.Array(), seed, candidates, checkpoints, points, minRadius, angleJitter, turnRate, gain, lookahead,
				ring, heading, drift, mean, point, crossings)
			checkpoint.Choose(lc, envs, a.active.Array(), candidates, points, clipping, scale,
				point, heading, boxLo, boxHi, crossings, kept, loop)
		}, a.err
	})
}
