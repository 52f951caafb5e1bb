package track

import (
	"github.com/trackgen-go/trackgen/exec"
	"github.com/trackgen-go/trackgen/generation"
	"github.com/trackgen-go/trackgen/kernel"
	"github.com/trackgen-go/trackgen/kernels/selection"
	"github.com/trackgen-go/trackgen/pipeline"
	"github.com/trackgen-go/trackgen/pipeline/allocate"
)

const validOutput = "valid"

// candidateStage draws up to c.Candidates tracks per env with the stages of a generation, and keeps the best one. It
// prefers valid tracks, then first loops with fewer crossings, then earlier candidates.
func candidateStage(c Config, stages []exec.Stage) exec.Stage {
	return generation.Candidates(c.Candidates, c.judgeLoops, stages...)
}

// judgeLoops is a generation.Judge.
func (c Config) judgeLoops(a *allocate.Allocator, program *pipeline.Program,
	r generation.Ranking) func(*exec.LaunchContext, exec.Array[int32], int32) {
	envs, points, boxes := a.Envs(), int32(c.Output.LoopPoints), int32(crossingBoxes(c))
	loop := allocate.ArrayOf[kernel.Vec2](a, program, LoopOutput)
	valid := allocate.ArrayOf[int32](a, program, validOutput)
	boxLo := allocate.PerEnv[kernel.Vec2](a, crossingBoxes(c))
	boxHi := allocate.PerEnv[kernel.Vec2](a, crossingBoxes(c))
	return func(lc *exec.LaunchContext, list exec.Array[int32], round int32) {
		selection.Judge(lc, envs, selection.JudgeArgs{
			Active: list, Round: round, Last: r.Last, NumPoints: points, Boxes: boxes, Loop: loop, Valid: valid,
			BoxLo: boxLo, BoxHi: boxHi, Rank: r.Rank, Candidate: r.Candidate, Again: r.Again,
		})
	}
}
