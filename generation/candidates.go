package generation

import (
	"fmt"

	"github.com/trackgen-go/trackgen/backend"
	"github.com/trackgen-go/trackgen/exec"
	"github.com/trackgen-go/trackgen/kernels/selection"
	"github.com/trackgen-go/trackgen/pipeline"
	"github.com/trackgen-go/trackgen/pipeline/allocate"
)

// CandidateOutput is the name of the output of the stage of Candidates: [E] the number of the candidate that was kept.
const CandidateOutput = "candidate"

// keptCandidate stands for the number of the round in which every env draws the candidate that it keeps.
const keptCandidate = -1

// Judge makes the function that ranks the results of candidate round of the envs of a list, with the rules of
// selection.judge: it updates Rank and Candidate, and sets Again to 1 for the envs that are to draw again. It is called
// once, when the stage is built. program has the stages that make a result.
type Judge func(a *allocate.Allocator, program *pipeline.Program, r Ranking) func(lc *exec.LaunchContext,
	list exec.Array[int32], round int32)

// Ranking holds the arrays of a Judge, [E] each.
type Ranking struct {
	Last                   int32 // number of the last candidate
	Rank, Candidate, Again exec.Array[int32]
}

// Candidates draws up to candidates results per env with the given stages, and keeps the one with the lowest rank.
//
// Round 0 draws candidate 0 of every active env. Each further round draws the next candidate of the envs whose best one
// can be beaten. A last round draws the best candidate again for the envs for which another one was drawn last. The
// device skips each of these rounds if no env needs it, because the length of the list of envs is the flag (R23).
func Candidates(candidates int, judge Judge, stages ...exec.Stage) exec.Stage {
	class := exec.Static
	for _, stage := range stages {
		if stage != nil {
			class = max(class, stage.Class())
		}
	}
	return pipeline.StageFunc("candidates", class, func(b exec.Builder) (exec.Enqueue, error) {
		a := allocate.New(b)
		drawn := allocate.PerEnv[int32](a, 1) // effective seed of the candidate that was drawn last
		program := Nested(a, pipeline.NestedOptions{Active: a.Active, Seed: drawn}, stages...)
		ranking := Ranking{Last: int32(candidates - 1), Rank: allocate.PerEnv[int32](a, 1),
			Again: allocate.PerEnv[int32](a, 1), Candidate: allocate.Output[int32](a, CandidateOutput, 1)}
		d := candidateDraw{program: program, active: a.Active, envs: b.Envs(), effective: b.Seed(), drawn: drawn,
			Ranking: ranking, judge: judge(a, program, ranking), retried: allocate.Scratch[int32](a, b.Envs()+1)}
		anyRetried := allocate.Part(a, d.retried, 0, 1)
		var rounds []exec.Enqueue
		for round := int32(1); round <= d.Last; round++ {
			rounds = append(rounds, func(lc *exec.LaunchContext) { d.round(lc, d.retried, round) })
		}
		rounds = append(rounds, func(lc *exec.LaunchContext) { d.generate(lc, d.retried, keptCandidate) })
		return func(lc *exec.LaunchContext) {
			d.round(lc, d.active.Array(), 0)
			for _, round := range rounds {
				exec.SkipUnless(lc, anyRetried, round)
			}
		}, a.Err
	})
}

// candidateDraw holds the program and the arrays of Candidates.
type candidateDraw struct {
	Ranking
	program          *pipeline.Program
	active           *pipeline.List
	envs             int
	effective, drawn exec.Array[int32]
	judge            func(lc *exec.LaunchContext, list exec.Array[int32], round int32)
	retried          exec.Array[int32] // [1+E] list of the envs that draw again
}

// generate makes a result for each env of a list, with the candidate of a round.
func (d *candidateDraw) generate(lc *exec.LaunchContext, list exec.Array[int32], round int32) {
	selection.Draft(lc, d.envs, list, round, d.effective, d.Candidate, d.drawn)
	d.program.EnqueueEnvs(lc, list)
}

// round generates, ranks the results of the envs of a list, and lists the envs that draw again.
func (d *candidateDraw) round(lc *exec.LaunchContext, list exec.Array[int32], round int32) {
	d.generate(lc, list, round)
	d.judge(lc, list, round)
	selection.Narrow(lc, selection.Groups(d.envs), d.active.Array(), d.Again, d.retried)
}

// NotNestable returns why a stage cannot be part of another stage, or "" if it can. A stage that works on the host or
// launches on the current stream cannot be skipped on the device, and cannot be limited to some of the envs (R40).
func NotNestable(stage exec.Stage) string {
	if stage == nil {
		return "" // the builder reports it
	}
	return obstacleToNesting(pipeline.RunnerOptions("", stage))
}

// obstacleToNesting is NotNestable for stages with the given options of a runner.
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

// Nested builds stages as parts of the stage for which a allocates.
func Nested(a *allocate.Allocator, options pipeline.NestedOptions, stages ...exec.Stage) *pipeline.Program {
	return allocate.Try(a, func() (*pipeline.Program, error) {
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
