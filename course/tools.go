package course

import (
	"github.com/trackgen-go/trackgen/exec"
	"github.com/trackgen-go/trackgen/pipeline"
)

// tools are the components of a course. A generation carries them as its last stage, so that the signals of an env
// follow its own regeneration under the same condition. The components need the tracks of the first generation, so
// the stage does nothing until they are built.
type tools struct {
	built   bool
	refresh []func(lc *exec.LaunchContext, list exec.Array[int32]) // in the order of C-104
	closers []func() error
}

// stage returns the stage that prepares the signals of the active envs.
func (t *tools) stage() exec.Stage {
	return pipeline.StageFunc("course", exec.Static, func(b exec.Builder) (exec.Enqueue, error) {
		active, err := pipeline.Active(b)
		return func(lc *exec.LaunchContext) { t.follow(lc, active.Array()) }, err
	})
}

// follow prepares the signals of the envs of a list, which has the layout of pipeline.List.
func (t *tools) follow(lc *exec.LaunchContext, list exec.Array[int32]) {
	if !t.built {
		return
	}
	for _, refresh := range t.refresh {
		refresh(lc, list)
	}
}
