package track

import (
	"context"
	"unsafe"

	"github.com/trackgen-go/trackgen/exec"
	"github.com/trackgen-go/trackgen/generation"
	"github.com/trackgen-go/trackgen/kernel"
)

// StageArray is an array that a stage of a generation leaves in device memory. It serves comparisons between devices
// and debugging.
type StageArray struct {
	// Stage is "key", "component", "variation", "candidates", "loop", "space", "relax", "even", "elevation", "inflate" or
	// "validate".
	Stage string
	Name  string // name of the array within the stage
	Type  kernel.Type

	length int
	words  func(context.Context) ([]uint32, error)
}

// Len returns the number of elements. With E envs, the array has E equal parts, and part e belongs to env e.
func (a StageArray) Len() int { return a.length }

// Words downloads the array as bit patterns, with Type.Size()/4 words for each element. It works on the stream that ctx
// resolves to, and waits.
func (a StageArray) Words(ctx context.Context) ([]uint32, error) { return a.words(ctx) }

// StageArrays lists the arrays that each stage of the last generation left, in the order of computation. Not every
// stage writes the elements beyond the real points of an env: they have the values of an earlier generation, or zero.
func (g *Generator) StageArrays() []StageArray {
	var list []StageArray
	columns := g.track.columns()
	for _, stage := range g.stageOutputs() {
		list = append(list, stage.outputs...)
		for _, c := range columns {
			if c.Stage == stage.name && !c.IsAbsent() {
				list = append(list, StageArray{Stage: c.Stage, Name: c.Name, Type: c.Type, length: c.Len(), words: c.Words})
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
	list := []stageOutputs{{"key", []StageArray{stageArray("key", "effective", g.core().Program().Seed())}}}
	if g.config.Generator == Mixed {
		list = append(list, stageOutputs{name: "component"})
	}
	if g.config.varies() {
		list = append(list, stageOutputs{"variation", []StageArray{
			stageArray("variation", lengthsOutput, outputOf[float32](g, lengthsOutput)),
			stageArray("variation", halfWidthsOutput, outputOf[kernel.Vec2](g, halfWidthsOutput)),
			stageArray("variation", turnedOutput, outputOf[int32](g, turnedOutput)),
		}})
	}
	if g.config.Candidates > 1 {
		list = append(list, stageOutputs{name: "candidates"})
	}
	list = append(list,
		stageOutputs{"loop", []StageArray{stageArray("loop", "loop", outputOf[kernel.Vec2](g, LoopOutput))}},
		stageOutputs{"space", []StageArray{
			stageArray("space", "needed", outputOf[int32](g, neededOutput)), stageArray("space", "spaced", g.Spaced()),
		}})
	if g.config.Relax.Enabled {
		list = append(list, stageOutputs{"relax", []StageArray{
			stageArray("relax", "relaxed", outputOf[kernel.Vec2](g, relaxedOutput)),
		}})
	}
	return append(list,
		stageOutputs{"even", []StageArray{stageArray("even", "loop", outputOf[kernel.Vec2](g, evenOutput))}},
		stageOutputs{name: "elevation"}, stageOutputs{name: "inflate"}, stageOutputs{name: "validate"})
}

// outputOf returns an output that every generator has.
func outputOf[T kernel.Element](g *Generator, name string) exec.Array[T] {
	return generation.ArrayOf[T](g.core(), name)
}

func stageArray[T kernel.Element](stage, name string, array exec.Array[T]) StageArray {
	return StageArray{Stage: stage, Name: name, Type: kernel.TypeOf[T](), length: array.Len(),
		words: func(ctx context.Context) ([]uint32, error) {
			values, err := array.Read(ctx)
			if err != nil || len(values) == 0 {
				return nil, err
			}
			// Every element is made of 32-bit words without padding.
			return unsafe.Slice((*uint32)(unsafe.Pointer(unsafe.SliceData(values))),
				len(values)*int(kernel.TypeOf[T]().Size()/4)), nil
		}}
}
