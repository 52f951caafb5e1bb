package column

import (
	"context"

	"github.com/trackgen-go/trackgen/exec"
	"github.com/trackgen-go/trackgen/kernel"
)

// StageArray is an array that a stage of a generation leaves in device memory. It serves comparisons between devices
// and debugging.
type StageArray struct {
	Stage string
	Name  string // name of the array within the stage
	Type  kernel.Type

	length int
	words  func(context.Context) ([]uint32, error)
}

// NewStageArray describes an array of a stage that is no column.
func NewStageArray[T kernel.Element](stage, name string, array exec.Array[T]) StageArray {
	return StageArray{Stage: stage, Name: name, Type: kernel.TypeOf[T](), length: array.Len(),
		words: func(ctx context.Context) ([]uint32, error) {
			values, err := array.Read(ctx)
			return wordsOf(values), err
		}}
}

// StageArray describes the column as an array of its stage.
func (d Device) StageArray() StageArray {
	return StageArray{Stage: d.Stage, Name: d.Name, Type: d.Type, length: d.Len(), words: d.Words}
}

// Len returns the number of elements. With E envs, the array has E equal parts, and part e belongs to env e.
func (a StageArray) Len() int { return a.length }

// Words downloads the array as bit patterns, with Type.Size()/4 words for each element. It works on the stream that ctx
// resolves to, and waits.
func (a StageArray) Words(ctx context.Context) ([]uint32, error) { return a.words(ctx) }
