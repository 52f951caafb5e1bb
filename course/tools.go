package course

import (
	"errors"

	"github.com/trackgen-go/trackgen/course/checkpoints"
	"github.com/trackgen-go/trackgen/course/collision"
	"github.com/trackgen-go/trackgen/course/line"
	"github.com/trackgen-go/trackgen/course/localise"
	"github.com/trackgen-go/trackgen/course/progress"
	"github.com/trackgen-go/trackgen/exec"
	"github.com/trackgen-go/trackgen/heightfield"
	"github.com/trackgen-go/trackgen/kernels/course"
	"github.com/trackgen-go/trackgen/pipeline"
)

// tools are the components of a course; those that it has not are nil. A generation carries them as its last stage, so
// that the signals of an env follow its own regeneration under the same condition. The components need the tracks of
// the first generation, so the stage does nothing until they are built.
type tools struct {
	with []Option // of their constructors

	checkpoints *checkpoints.Set
	sampler     *checkpoints.Sampler
	tracker     *progress.Tracker
	localiser   *localise.Localiser
	line        *line.Sampler
	borders     *collision.Borders
	field       *collision.Field
	posts       *collision.Discs
	frames      *collision.Frames
	others      *collision.Agents
	ground      *heightfield.Baker

	refreshes []func(lc *exec.LaunchContext, list exec.Array[int32]) // in the order of C-104
	resets    []func(lc *exec.LaunchContext, mask exec.Array[int32])
	closers   []func() error

	listed   exec.Array[int32] // [E] mask of the envs that a refresh has prepared
	everyone exec.Array[int32] // [E] mask of all envs
	built    bool
}

// keep remembers what a component does in a refresh of the envs of a list and in a reset of those of a mask, if
// anything.
func (t *tools) keep(closer func() error, refresh, reset func(lc *exec.LaunchContext, envs exec.Array[int32])) {
	t.closers = append(t.closers, closer)
	if refresh != nil {
		t.refreshes = append(t.refreshes, refresh)
	}
	if reset != nil {
		t.resets = append(t.resets, reset)
	}
}

// stage returns the stage that prepares the signals of the active envs.
func (t *tools) stage() exec.Stage {
	return pipeline.StageFunc("course", exec.Static, func(b exec.Builder) (exec.Enqueue, error) {
		active, err := pipeline.Active(b)
		return func(lc *exec.LaunchContext) { t.follow(lc, active.Array()) }, err
	})
}

// follow prepares the signals of the envs of a list, which has the layout of pipeline.List, and puts their agents to
// the start.
func (t *tools) follow(lc *exec.LaunchContext, list exec.Array[int32]) {
	if !t.built {
		return
	}
	for _, refresh := range t.refreshes {
		refresh(lc, list)
	}
	course.MaskOf(lc, t.listed.Len(), list, t.listed)
	t.reset(lc, t.listed)
}

// reset puts the agents of the envs of a mask to the start.
func (t *tools) reset(lc *exec.LaunchContext, mask exec.Array[int32]) {
	for _, reset := range t.resets {
		reset(lc, mask)
	}
}

// close releases the components, the newest first.
func (t *tools) close() error {
	if t == nil {
		return nil
	}
	var failed []error
	for i := len(t.closers) - 1; i >= 0; i-- {
		failed = append(failed, t.closers[i]())
	}
	t.closers = nil
	return errors.Join(failed...)
}
