package track

import (
	"fmt"

	"github.com/trackgen-go/trackgen/backend"
	"github.com/trackgen-go/trackgen/exec"
	"github.com/trackgen-go/trackgen/kernel"
	"github.com/trackgen-go/trackgen/kernels/selection"
	"github.com/trackgen-go/trackgen/pipeline"
)

const (
	candidateOutput = "candidate" // [E] number of the candidate that was kept
	validOutput     = "valid"

	// keptCandidate stands for the number of the round in which every env draws the candidate that it keeps.
	keptCandidate = -1
)

// candidateStage draws up to c.Candidates tracks per env with the stages of a generation, and keeps the best one. It
// prefers valid tracks, then first loops with fewer crossings, then earlier candidates.
//
// Round 0 draws candidate 0 of every active env. Each further round draws the next candidate of the envs whose best one
// is not valid or has crossings. A last round draws the best candidate again for the envs for which another one was
// drawn last. The device skips each of these rounds if no env needs it, because the length of the list of envs is the
// flag (R23).
func candidateStage(c Config, stages []exec.Stage) exec.Stage {
	class := exec.Static
	for _, stage := range stages {
		if stage != nil {
			class = max(class, stage.Class())
		}
	}
	return pipeline.StageFunc("candidates", class, func(b exec.Builder) (exec.Enqueue, error) {
		a := newAllocator(b)
		drawn := perEnv[int32](a, 1) // effective seed of the candidate that was drawn last
		program := nested(a, pipeline.NestedOptions{Active: a.active, Seed: drawn}, stages...)
		d := candidateDraw{
			program: program, active: a.active, envs: b.Envs(), last: int32(c.Candidates - 1),
			points: int32(c.Output.LoopPoints), boxes: int32(crossingBoxes(c)), effective: b.Seed(), drawn: drawn,
			loop: result[kernel.Vec2](a, program, LoopOutput), valid: result[int32](a, program, validOutput),
			boxLo: perEnv[kernel.Vec2](a, crossingBoxes(c)), boxHi: perEnv[kernel.Vec2](a, crossingBoxes(c)),
			rank: perEnv[int32](a, 1), again: perEnv[int32](a, 1), candidate: output[int32](a, candidateOutput, 1),
			retried: try(a, func() (exec.Array[int32], error) { return exec.Scratch[int32](b, b.Envs()+1) }),
		}
		anyRetried := try(a, func() (exec.Array[int32], error) { return d.retried.Slice(0, 1) })
		var rounds []exec.Enqueue
		for round := int32(1); round <= d.last; round++ {
			rounds = append(rounds, func(lc *exec.LaunchContext) {
				d.generate(lc, d.retried, round)
				d.judge(lc, d.retried, round)
			})
		}
		rounds = append(rounds, func(lc *exec.LaunchContext) { d.generate(lc, d.retried, keptCandidate) })
		return func(lc *exec.LaunchContext) {
			d.generate(lc, d.active.Array(), 0)
			d.judge(lc, d.active.Array(), 0)
			for _, round := range rounds {
				exec.SkipUnless(lc, anyRetried, round)
			}
		}, a.err
	})
}

// candidateDraw holds the program, the sizes and the arrays of candidateStage.
type candidateDraw struct {
	program *pipeline.Program
	active  *pipeline.List
	envs    int

	last, points, boxes           int32
	effective, drawn              exec.Array[int32]
	loop, boxLo, boxHi            exec.Array[kernel.Vec2]
	valid, rank, candidate, again exec.Array[int32]
	retried                       exec.Array[int32] // [1+E] list of the envs that draw again
}

// generate makes a track for each env of a list, with the candidate of a round.
func (d *candidateDraw) generate(lc *exec.LaunchContext, list exec.Array[int32], round int32) {
	selection.Draft(lc, d.envs, list, round, d.effective, d.candidate, d.drawn)
	d.program.EnqueueEnvs(lc, list)
}

// judge ranks the tracks of the envs of a list, and lists the envs that draw again.
func (d *candidateDraw) judge(lc *exec.LaunchContext, list exec.Array[int32], round int32) {
	selection.Judge(lc, d.envs, selection.JudgeArgs{
		Active: list, Round: round, Last: d.last, NumPoints: d.points, Boxes: d.boxes, Loop: d.loop, Valid: d.valid,
		BoxLo: d.boxLo, BoxHi: d.boxHi, Rank: d.rank, Candidate: d.candidate, Again: d.again,
	})
	selection.Narrow(lc, 1, d.active.Array(), d.again, d.retried)
}

// notNestable returns why the stage of a generator cannot be part of another stage, or "" if it can. A stage that works
// on the host or launches on the current stream cannot be skipped on the device, and cannot be limited to some of the
// envs (R40).
func notNestable(stage exec.Stage) string {
	if stage == nil {
		return "" // the builder reports it
	}
	return obstacleToNesting(pipeline.RunnerOptions("", stage))
}

// obstacleToNesting is notNestable for stages with the given options of a runner.
func obstacleToNesting(kind exec.RunnerOptions) string {
	switch {
	case kind.Legacy:
		return "launches on the current stream"
	case !kind.Capturable:
		return "works on the host"
	default:
		return ""
	}
}

// nested builds stages as parts of the stage for which a allocates.
func nested(a *allocator, options pipeline.NestedOptions, stages ...exec.Stage) *pipeline.Program {
	return try(a, func() (*pipeline.Program, error) {
		builder, err := pipeline.Nested(a.Builder, options)
		if err != nil {
			return nil, err
		}
		return buildParts(builder, stages...)
	})
}

// buildParts builds stages as parts of a stage. It refuses stages whose own parts turn out not to be nestable.
func buildParts(builder *pipeline.Builder, stages ...exec.Stage) (*pipeline.Program, error) {
	program, err := builder.Build(stages...)
	if err != nil {
		return nil, err
	}
	if why := obstacleToNesting(program.RunnerOptions("")); why != "" {
		return nil, &backend.ArgumentError{Op: fmt.Sprintf("build stage %q", stages[0].ID()), Argument: "part",
			Value:   "one that " + why,
			Allowed: "one that neither works on the host nor launches on the current stream"}
	}
	return program, nil
}

// result returns an array of a program that is part of a stage.
func result[T kernel.Element](a *allocator, program *pipeline.Program, name string) exec.Array[T] {
	return try(a, func() (exec.Array[T], error) { return pipeline.ArrayOf[T](program, name) })
}
