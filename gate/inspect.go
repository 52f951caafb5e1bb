package gate

import (
	"fmt"

	"github.com/trackgen-go/trackgen/column"
	"github.com/trackgen-go/trackgen/generation"
	"github.com/trackgen-go/trackgen/kernel"
)

// StageArray is an array that a stage of a generation leaves in device memory. It serves comparisons between devices
// and debugging. Its Stage is "key", "component", "size", "candidates", "points", "along", "arrange" or "frame".
type StageArray = column.StageArray

// StageArrays lists the arrays that each stage of the last generation left, in the order of computation. Not every
// stage writes the elements beyond the real gates of an env: they have the values of an earlier generation, or zero.
func (g *Generator) StageArrays() []StageArray {
	core := g.core()
	list := append(firstArrays(core, g.config),
		column.NewStageArray("points", drawnOutput, generation.ArrayOf[int32](core, drawnOutput)),
		column.NewStageArray("points", pointsOutput, generation.ArrayOf[kernel.Vec2](core, pointsOutput)))
	return append(list, g.sequence.stageArrays()...)
}

// StageArrays lists the arrays that each stage left, as that of a Generator does.
func (a *Along) StageArrays() []StageArray {
	core := a.core()
	list := append(firstArrays(core, a.config),
		column.NewStageArray(alongStageID, drawnOutput, generation.ArrayOf[int32](core, drawnOutput)),
		column.NewStageArray(alongStageID, flawsOutput, generation.ArrayOf[int32](core, flawsOutput)),
		column.NewStageArray(alongStageID, openingOutput, generation.ArrayOf[float32](core, openingOutput)))
	return append(list, a.sequence.stageArrays()...)
}

// firstArrays lists the arrays of the stages before the points.
func firstArrays(core *generation.Generation, c Config) []StageArray {
	list := []StageArray{column.NewStageArray("key", "effective", core.Program().Seed())}
	if c.variesSize() {
		list = append(list, column.NewStageArray("size", sizeOutput, generation.ArrayOf[float32](core, sizeOutput)))
	}
	return list
}

// stageArrays lists the columns by the stages that write them.
func (s *Sequence) stageArrays() (list []StageArray) {
	for _, stage := range []string{"key", "component", "candidates", "arrange", "frame"} {
		for _, c := range s.columns() {
			if c.Stage == stage {
				list = append(list, c.StageArray())
			}
		}
	}
	return list
}

// CheckNumbers returns an error for the first number of a batch that no generation makes: a number of a real gate that
// is not finite in a course without ReasonNotFinite, padding that is no NaN with the bits kernel.NaNBits, a course that
// is valid and has a reason, or is not valid and has none, and a count that does not fit.
func (b *Batch) CheckNumbers() error {
	for e := range b.Envs {
		if valid, reason := b.Valid[e], b.Reason[e]; valid != 0 && valid != 1 || (valid == 1) != (reason == 0) {
			return fmt.Errorf("env %d: valid is %d and reason is %d", e, valid, int32(reason))
		}
		if count := b.Count[e]; count < 0 || int(count) > b.MaxGates {
			return fmt.Errorf("env %d: count is %d of %d gates", e, count, b.MaxGates)
		}
	}
	for _, c := range Schema.Host(&b.HostColumns) {
		if c.Per != column.Gate {
			continue
		}
		for e := range b.Envs {
			for i := range b.MaxGates {
				isReal := i < int(b.Count[e])
				if isReal && b.Reason[e]&ReasonNotFinite != 0 {
					continue
				}
				if err := c.CheckNumber(e*b.MaxGates+i, isReal); err != nil {
					return fmt.Errorf("env %d, gate %d of %d: %w", e, i, b.Count[e], err)
				}
			}
		}
	}
	return nil
}
