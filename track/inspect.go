package track

import (
	"github.com/trackgen-go/trackgen/column"
	"github.com/trackgen-go/trackgen/exec"
	"github.com/trackgen-go/trackgen/generation"
	"github.com/trackgen-go/trackgen/kernel"
)

// StageArray is an array that a stage of a generation leaves in device memory. It serves comparisons between devices
// and debugging. Its Stage is "key", "component", "variation", "candidates", "loop", "space", "relax", "even",
// "elevation", "inflate" or "validate".
type StageArray = column.StageArray

// StageArrays lists the arrays that each stage of the last generation left, in the order of computation. Not every
// stage writes the elements beyond the real points of an env: they have the values of an earlier generation, or zero.
func (g *Generator) StageArrays() []StageArray {
	var list []StageArray
	columns := g.track.columns()
	for _, stage := range g.stageOutputs() {
		list = append(list, stage.outputs...)
		for _, c := range columns {
			if c.Stage == stage.name && !c.IsAbsent() {
				list = append(list, c.StageArray())
			}
		}
	}
	return list
}

// stageOutputs holds the arrays of a stage that are not columns of the tracks.
type stageOutputs struct {
	name    string
	outputs []StageArray
}

// stageOutputs lists the stages of a generation in their order.
func (g *Generator) stageOutputs() []stageOutputs {
	list := []stageOutputs{{"key", []StageArray{column.NewStageArray("key", "effective", g.core().Program().Seed())}}}
	if g.config.Generator == Mixed {
		list = append(list, stageOutputs{name: "component"})
	}
	if g.config.varies() {
		list = append(list, stageOutputs{"variation", []StageArray{
			column.NewStageArray("variation", lengthsOutput, outputOf[float32](g, lengthsOutput)),
			column.NewStageArray("variation", halfWidthsOutput, outputOf[kernel.Vec2](g, halfWidthsOutput)),
			column.NewStageArray("variation", turnedOutput, outputOf[int32](g, turnedOutput)),
		}})
	}
	if g.config.Candidates > 1 {
		list = append(list, stageOutputs{name: "candidates"})
	}
	list = append(list,
		stageOutputs{"loop", []StageArray{column.NewStageArray("loop", "loop", outputOf[kernel.Vec2](g, LoopOutput))}},
		stageOutputs{"space", []StageArray{
			column.NewStageArray("space", "needed", outputOf[int32](g, neededOutput)),
			column.NewStageArray("space", "spaced", g.Spaced()),
		}})
	if g.config.Relax.Enabled {
		list = append(list, stageOutputs{"relax", []StageArray{
			column.NewStageArray("relax", "relaxed", outputOf[kernel.Vec2](g, relaxedOutput)),
		}})
	}
	even := stageOutputs{"even", []StageArray{column.NewStageArray("even", "loop", outputOf[kernel.Vec2](g, evenOutput))}}
	elevation := stageOutputs{name: "elevation"}
	if g.config.hasHills() {
		even.outputs = append(even.outputs,
			column.NewStageArray("even", planArclenOutput, outputOf[float32](g, planArclenOutput)),
			column.NewStageArray("even", planLengthOutput, outputOf[float32](g, planLengthOutput)))
		elevation.outputs = []StageArray{
			column.NewStageArray("elevation", knotsOutput, outputOf[float32](g, knotsOutput)),
			column.NewStageArray("elevation", steepOutput, outputOf[int32](g, steepOutput)),
		}
	}
	return append(list, even, elevation, stageOutputs{name: "inflate"}, stageOutputs{name: "validate"})
}

// outputOf returns an output that every generator has.
func outputOf[T kernel.Element](g *Generator, name string) exec.Array[T] {
	return generation.ArrayOf[T](g.core(), name)
}
