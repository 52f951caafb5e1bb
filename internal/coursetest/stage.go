package coursetest

import (
	"github.com/trackgen-go/trackgen/backend"
	"github.com/trackgen-go/trackgen/exec"
	"github.com/trackgen-go/trackgen/exec/exectest"
	"github.com/trackgen-go/trackgen/pipeline"
)

// behind is a stage whose outputs are those of its last part alone: other parts may leave padding as it was.
type behind struct {
	exec.Stage
	last exec.Stage
}

// Outputs implements exectest.Outputs.
func (b behind) Outputs() []backend.View {
	if last, ok := b.last.(exectest.Outputs); ok {
		return last.Outputs()
	}
	return nil
}

// Behind returns a stage of several parts: those that first makes for a number of envs, such as the stages that make
// tracks from seeds, and then last.
func Behind(first func(envs int) ([]exec.Stage, error), last exec.Stage) exec.Stage {
	whole := pipeline.StageFunc("whole", exec.Static, func(b exec.Builder) (exec.Enqueue, error) {
		stages, err := first(b.Envs())
		if err != nil {
			return nil, err
		}
		n, err := pipeline.Nested(b, pipeline.NestedOptions{})
		if err != nil {
			return nil, err
		}
		program, err := n.Build(append(stages, last)...)
		if err != nil {
			return nil, err
		}
		return program.Enqueue, nil
	})
	return behind{Stage: whole, last: last}
}
