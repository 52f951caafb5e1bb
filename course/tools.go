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

	listed exec.Array[int32] // [E] mask of the envs that a refresh has prepared, or a copy of that of a reset
	built  bool
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

// reset puts the agents of the envs of a mask to the start. A mask may be one of the signals, such as the laps: it is
// copied, because no launch may write the array that it belongs to.
func (t *tools) reset(lc *exec.LaunchContext, mask exec.Array[int32]) {
	if t.isWrittenByResets(mask) {
		exec.Copy(lc, t.listed, mask)
		mask = t.listed
	}
	for _, reset := range t.resets {
		reset(lc, mask)
	}
}

// isWrittenByResets reports whether a mask belongs to an array that a reset writes.
func (t *tools) isWrittenByResets(mask exec.Array[int32]) bool {
	buffer := mask.View().Buffer
	return buffer == t.tracker.Arrays().Integers.View().Buffer || buffer == t.localiser.Arrays().Integers.View().Buffer
}

// close releases the components, the newest first. Another call releases those that were in use.
func (t *tools) close() error {
	if t == nil {
		return nil
	}
	var failed []error
	for i := len(t.closers) - 1; i >= 0; i-- {
		failed = append(failed, t.closers[i]())
	}
	return errors.Join(failed...)
}
