package reward

import (
	"context"

	"github.com/trackgen-go/trackgen/exec"
	"github.com/trackgen-go/trackgen/internal/component"
	"github.com/trackgen-go/trackgen/kernels/reward"
)

// open returns a *backend.ArgumentError for a Judge that New did not make, and a *backend.ClosedError for a closed one.
func (j *Judge) open(op string) error {
	if j == nil {
		return (*component.Component)(nil).Open(prefix, op)
	}
	return j.component.Open(prefix, op)
}

// Bind makes in the arrays that Update reads from now on. Binding others replaces them; a graph that has recorded an
// update keeps reading the old ones, about which a warning tells (R97).
//
// It returns a *backend.ArgumentError for an array that does not fit, and for one that is missing although a weight or
// a limit needs it.
func (j *Judge) Bind(in Inputs) error {
	const op = "bind"
	if err := j.open(op); err != nil {
		return err
	}
	if err := in.check(prefix+op, j.component.Device(), j.number(), &j.config); err != nil {
		return err
	}
	j.inputs = in
	j.component.Bind(in.named()...)
	return nil
}

// Update rewards every agent for the step since the last update, ends episodes, and returns the Outcomes of the judge.
// Inside a capture of the stream that ctx resolves to, the work is recorded, not run. It reads nothing back, and on an
// eager CPU device it allocates nothing after the first call.
//
// It returns a *backend.ArgumentError if nothing is bound.
func (j *Judge) Update(ctx context.Context) (*Outcomes, error) {
	const op = "update"
	if err := j.open(op); err != nil {
		return nil, err
	}
	if err := j.component.CheckBound(op, true); err != nil {
		return nil, err
	}
	if err := j.component.Run(ctx, op, j.bound.Get(j.inputs)); err != nil {
		return nil, err
	}
	return j.outcomes, nil
}

// UpdateAt is Update with the arrays of the call. It returns a *backend.ArgumentError if others are bound (C-90).
func (j *Judge) UpdateAt(ctx context.Context, in Inputs) (*Outcomes, error) {
	const op = "update at"
	if err := j.checkAt(op, prefix+op, in); err != nil {
		return nil, err
	}
	if err := j.component.Run(ctx, op, j.perCall.Get(in)); err != nil {
		return nil, err
	}
	return j.outcomes, nil
}

// checkAt checks the arrays of a call. whole is op with the prefix.
func (j *Judge) checkAt(op, whole string, in Inputs) error {
	if err := j.open(op); err != nil {
		return err
	}
	if err := j.component.CheckBound(op, false); err != nil {
		return err
	}
	return in.check(whole, j.component.Device(), j.number(), &j.config)
}

// EnqueueUpdate emits one Update on lc without any policy, for callers that record it as a part of their own work.
func (j *Judge) EnqueueUpdate(lc *exec.LaunchContext) {
	const op = "enqueue update"
	err := j.open(op)
	if err == nil {
		err = j.component.CheckBound(op, true)
	}
	if err != nil {
		lc.Fail(err)
		return
	}
	j.component.Recorded(lc)
	j.emit(lc, j.inputs)
}

// EnqueueUpdateAt emits one UpdateAt on lc without any policy.
func (j *Judge) EnqueueUpdateAt(lc *exec.LaunchContext, in Inputs) {
	const op = "enqueue update at"
	if err := j.checkAt(op, prefix+op, in); err != nil {
		lc.Fail(err)
		return
	}
	j.emit(lc, in)
}

// SetWeights replaces the weights, for a reward that changes as an agent learns, and waits. Graphs that have recorded
// updates use the new weights too. It returns a *ConfigError for each weight that is out of range, a
// *backend.ArgumentError for one whose input is not bound, and exec.ErrCapture inside a capture.
func (j *Judge) SetWeights(ctx context.Context, weights WeightsConfig) error {
	const op = "set weights"
	if err := j.open(op); err != nil {
		return err
	}
	c := j.config
	c.Weights = weights
	if err := c.Validate(); err != nil {
		return j.component.During(op, err)
	}
	if j.component.Bound() {
		if err := j.inputs.check(prefix+op, j.component.Device(), j.number(), &c); err != nil {
			return err
		}
	}
	lc, err := j.component.Context(ctx, op)
	if err != nil {
		return err
	}
	if err := j.settings.Write(exec.With(ctx, lc), c.settings()); err != nil {
		return j.component.During(op, err)
	}
	j.config = c
	return nil
}

// Reset makes new episodes of agents begin with the next update, which notes where they are and rewards nothing. The
// outcomes keep what the last update has reported. mask is read on the device, so its values may change between calls
// and between replays of a graph; it may be the column done. It has one int32 per env, for all agents of the env, or
// one per agent; those that are not 0 count. The zero array stands for all agents. On an eager CPU device, only the
// first call with a mask allocates.
func (j *Judge) Reset(ctx context.Context, mask exec.Array[int32]) error {
	const op = "reset"
	if err := j.open(op); err != nil {
		return err
	}
	if mask.IsZero() {
		return j.component.Refresh(ctx, op)
	}
	if err := j.checkMask(op, mask); err != nil {
		return err
	}
	return j.component.Run(ctx, op, j.resets.Get(mask))
}

// checkMask checks a mask that is not the zero array.
func (j *Judge) checkMask(op string, mask exec.Array[int32]) error {
	if mask.Len() == j.number() && mask.Check(op, "mask", j.component.Device(), j.number()) == nil {
		return nil
	}
	_, err := j.component.Mask(op, mask)
	return err
}

// EnqueueReset emits one Reset on lc without any policy.
func (j *Judge) EnqueueReset(lc *exec.LaunchContext, mask exec.Array[int32]) {
	const op = "enqueue reset"
	err := j.open(op)
	if err == nil && !mask.IsZero() {
		err = j.checkMask(op, mask)
	}
	switch {
	case err != nil:
		lc.Fail(err)
	case mask.IsZero():
		j.component.EnqueueRefresh(lc)
	default:
		j.reset(lc, mask)
	}
}

// EnqueueNote emits, without any policy, the note of where agents are whose episodes begin: s has their arc lengths, as
// Inputs.S. The next update is then the first step of these episodes, and rewards it; without a note, that update makes
// the note and rewards nothing (L-41). It follows a reset after which agents were localised at their new places.
func (j *Judge) EnqueueNote(lc *exec.LaunchContext, s exec.Array[float32]) {
	const op = "enqueue note"
	err := j.open(op)
	if err == nil {
		err = s.Check(prefix+op, "s", j.component.Device(), j.number())
	}
	if err != nil {
		lc.Fail(err)
		return
	}
	reward.NoteAgents(lc, j.number(), int32(j.number()), int32(j.config.Channels), s, j.previous, j.packed.Integers,
		j.packed.Floats)
}

// EnqueueResetEnvs emits a reset of all agents of the envs of a list, which has the layout of pipeline.List, without
// any policy: for regenerations.
func (j *Judge) EnqueueResetEnvs(lc *exec.LaunchContext, list exec.Array[int32]) {
	if err := j.open("enqueue reset envs"); err != nil {
		lc.Fail(err)
		return
	}
	j.component.EnqueueEnvs(lc, list)
}
