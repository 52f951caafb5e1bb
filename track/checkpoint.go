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
	BytesPerEnv: func(c Config) int {
		return c.NumPoints*sizeVec2 + sizeNumber + c.CheckpointBestOfK*
			(c.CheckpointCount*sizeVec2+c.NumPoints*(sizeVec2+sizeNumber)+crossingBoxes(c)*2*sizeVec2+sizeVec2+2*sizeNumber)
	},
	LoopIterations: func(c Config) float64 {
		candidates, points, checkpoints := float64(c.CheckpointBestOfK), float64(c.NumPoints), float64(c.CheckpointCount)
		boxes := float64(crossingBoxes(c))
		steering := share(candidates)*(2*checkpoints+2*points+3) + 2*share(candidates*points)
		choosing := crossingIterations(c, candidates) + candidates + 2*boxes + 3*share(points)
		if c.CheckpointClipFallback {
			choosing += checkpoint.MaxClips*(crossingIterations(c, 1)+3*points) + resampleIterations(c, points)
		}
		return max(steering, choosing)
	},
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
		clipping := oneIf(c.CheckpointClipFallback)

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
			checkpoint.Steer(lc, envs, checkpoint.SteerArgs{
				Active: a.active.Array(), Seed: seed, Candidates: candidates, Checkpoints: checkpoints,
				NumPoints: points, MinRadius: minRadius, AngleJitter: angleJitter, TurnRate: turnRate, Gain: gain,
				Lookahead: lookahead, Ring: ring, Heading: heading, Drift: drift, Mean: mean, Point: point,
				Crossings: crossings,
			})
			checkpoint.Choose(lc, envs, checkpoint.ChooseArgs{
				Active: a.active.Array(), Candidates: candidates, NumPoints: points, Clipping: clipping,
				Scale: scale, Point: point, End: heading, BoxLo: boxLo, BoxHi: boxHi, Crossings: crossings,
				Kept: kept, Loop: loop,
			})
		}, a.err
	})
}
