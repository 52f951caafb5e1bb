package track

import (
	"github.com/trackgen-go/trackgen/exec"
	"github.com/trackgen-go/trackgen/kernel"
	"github.com/trackgen-go/trackgen/kernels/checkpoint"
	"github.com/trackgen-go/trackgen/pipeline"
	"github.com/trackgen-go/trackgen/pipeline/allocate"
)

var checkpointSpec = Spec{
	Stage:    checkpointStage,
	Kernels:  checkpoint.Defs,
	Shortest: shortestFitted,
	Stride:   func(c Config) int { return c.Checkpoint.BestOf * max(c.Output.LoopPoints, c.Checkpoint.Count) },
}

// checkpointStage is the stage of the checkpoint generator. It clips a loop until no crossing is left; the reference
// system clips it once (docs/spec/differences.md). With clipping, both space the points of every loop evenly.
func checkpointStage(c Config) exec.Stage {
	return pipeline.StageFunc("loop", exec.Static, func(b exec.Builder) (exec.Enqueue, error) {
		a := allocate.New(b)
		envs := b.Envs()
		candidates, checkpoints := int32(c.Checkpoint.BestOf), int32(c.Checkpoint.Count)
		points := int32(c.Output.LoopPoints)
		perGroup := checkpoint.SteerEnvs(envs, c.Checkpoint.BestOf)
		groups := (envs + perGroup - 1) / perGroup
		scale := float32(c.Scale)
		minRadius, angleJitter := float32(c.Checkpoint.MinRadius), float32(c.Checkpoint.AngularJitter)
		turnRate, gain := float32(c.Checkpoint.TurnRate), float32(c.Checkpoint.SteeringGain)
		lookahead := float32(c.Checkpoint.Lookahead)
		clipping := allocate.Bit(c.Checkpoint.ClipCrossings)

		seed, loop := b.Seed(), allocate.Output[kernel.Vec2](a, LoopOutput, c.Output.LoopPoints)
		ring := allocate.PerEnv[kernel.Vec2](a, c.Checkpoint.BestOf*c.Checkpoint.Count)
		// After the points are known, heading has their arc lengths.
		heading := allocate.PerEnv[float32](a, c.Checkpoint.BestOf*c.Output.LoopPoints)
		drift := allocate.PerEnv[float32](a, c.Checkpoint.BestOf)
		mean := allocate.PerEnv[kernel.Vec2](a, c.Checkpoint.BestOf)
		point := allocate.PerEnv[kernel.Vec2](a, c.Checkpoint.BestOf*c.Output.LoopPoints)
		crossings := allocate.PerEnv[int32](a, c.Checkpoint.BestOf)
		boxLo := allocate.PerEnv[kernel.Vec2](a, c.Checkpoint.BestOf*crossingBoxes(c))
		boxHi := allocate.PerEnv[kernel.Vec2](a, c.Checkpoint.BestOf*crossingBoxes(c))
		kept := allocate.PerEnv[int32](a, 1)
		return func(lc *exec.LaunchContext) {
			checkpoint.Steer(lc, groups, checkpoint.SteerArgs{
				Active: a.Active.Array(), Seed: seed, PerGroup: int32(perGroup), Candidates: candidates,
				Checkpoints: checkpoints, NumPoints: points, MinRadius: minRadius, AngleJitter: angleJitter,
				TurnRate: turnRate, Gain: gain, Lookahead: lookahead, Ring: ring, Heading: heading, Drift: drift,
				Mean: mean, Point: point, Crossings: crossings,
			})
			checkpoint.Choose(lc, envs, checkpoint.ChooseArgs{
				Active: a.Active.Array(), Candidates: candidates, NumPoints: points, Clipping: clipping,
				Scale: scale, Point: point, End: heading, BoxLo: boxLo, BoxHi: boxHi, Crossings: crossings,
				Kept: kept, Loop: loop,
			})
		}, a.Err
	})
}
