package progress

import (
	"context"

	"github.com/trackgen-go/trackgen/exec"
	"github.com/trackgen-go/trackgen/internal/component"
	"github.com/trackgen-go/trackgen/kernel"
)

// open returns a *backend.ArgumentError for a Tracker that NewTracker did not make, and a *backend.ClosedError for a
// closed one.
func (t *Tracker) open(op string) error {
	if t == nil {
		return (*component.Component)(nil).Open(prefix, op)
	}
	return t.component.Open(prefix, op)
}

// Bind makes position the array [E*A] of positions, in track units, that Update reads from now on. Binding another one
// warns if a capture has recorded the old one, which its graph goes on reading (R97).
func (t *Tracker) Bind(position exec.Array[kernel.Vec3]) error {
	const op = "bind"
	if err := t.open(op); err != nil {
		return err
	}
	if err := position.Check(prefix+op, "position", t.component.Device(), t.number()); err != nil {
		return err
	}
	t.position = position
	t.component.Bind(exec.InputOf("position", position))
	return nil
}

// Update follows every agent to its position in the array that is bound, and returns the Events of the tracker. Inside
// a capture of the stream that ctx resolves to, the work is recorded, not run. It reads nothing back, and on an eager
// CPU device it allocates nothing after the first call.
//
// It returns a *backend.ArgumentError if nothing is bound.
func (t *Tracker) Update(ctx context.Context) (*Events, error) {
	const op = "update"
	if err := t.open(op); err != nil {
		return nil, err
	}
	if err := t.component.CheckBound(op, true); err != nil {
		return nil, err
	}
	if err := t.component.Run(ctx, op, t.bound.Get(t.position)); err != nil {
		return nil, err
	}
	return t.events, nil
}

// UpdateAt is Update with the positions of the call. It returns a *backend.ArgumentError if others are bound (C-90).
func (t *Tracker) UpdateAt(ctx context.Context, position exec.Array[kernel.Vec3]) (*Events, error) {
	const op = "update at"
	if err := t.checkAt(op, position); err != nil {
		return nil, err
	}
	if err := t.component.Run(ctx, op, t.perCall.Get(position)); err != nil {
		return nil, err
	}
	return t.events, nil
}

// checkAt checks the positions of a call.
func (t *Tracker) checkAt(op string, position exec.Array[kernel.Vec3]) error {
	if err := t.open(op); err != nil {
		return err
	}
	if err := t.component.CheckBound(op, false); err != nil {
		return err
	}
	if position.Check(op, "position", t.component.Device(), t.number()) == nil { // makes no text
		return nil
	}
	return position.Check(prefix+op, "position", t.component.Device(), t.number())
}

// EnqueueUpdate emits one Update on lc without any policy, for callers that record it as a part of their own work.
func (t *Tracker) EnqueueUpdate(lc *exec.LaunchContext) {
	const op = "enqueue update"
	err := t.open(op)
	if err == nil {
		err = t.component.CheckBound(op, true)
	}
	if err != nil {
		lc.Fail(err)
		return
	}
	t.component.Recorded(lc)
	t.follow(lc, t.position)
}

// EnqueueUpdateAt emits one UpdateAt on lc without any policy.
func (t *Tracker) EnqueueUpdateAt(lc *exec.LaunchContext, position exec.Array[kernel.Vec3]) {
	if err := t.checkAt("enqueue update at", position); err != nil {
		lc.Fail(err)
		return
	}
	t.follow(lc, position)
}

// Reset puts agents to the start: the next update reports no events for them, and they have to pass checkpoint 0. The
// Events keep what the last update has reported. mask is read on the device, so its values may change between calls and
// between replays of a graph. It has one int32 per env, for all agents of the env, or one per agent; those that are not
// 0 count. The zero array stands for all agents. On an eager CPU device, only the first call with a mask allocates.
func (t *Tracker) Reset(ctx context.Context, mask exec.Array[int32]) error {
	const op = "reset"
	if err := t.open(op); err != nil {
		return err
	}
	if mask.IsZero() {
		return t.component.Refresh(ctx, op)
	}
	if err := t.checkMask(op, mask); err != nil {
		return err
	}
	return t.component.Run(ctx, op, t.resets.Get(mask))
}

// checkMask checks a mask that is not the zero array.
func (t *Tracker) checkMask(op string, mask exec.Array[int32]) error {
	if mask.Len() == t.number() && mask.Check(op, "mask", t.component.Device(), t.number()) == nil {
		return nil
	}
	_, err := t.component.Mask(op, mask)
	return err
}

// EnqueueReset emits one Reset on lc without any policy.
func (t *Tracker) EnqueueReset(lc *exec.LaunchContext, mask exec.Array[int32]) {
	const op = "enqueue reset"
	err := t.open(op)
	if err == nil && !mask.IsZero() {
		err = t.checkMask(op, mask)
	}
	switch {
	case err != nil:
		lc.Fail(err)
	case mask.IsZero():
		t.component.EnqueueRefresh(lc)
	default:
		t.reset(lc, mask)
	}
}

// EnqueueResetEnvs emits a reset of all agents of the envs of a list, which has the layout of pipeline.List, without
// any policy: for regenerations.
func (t *Tracker) EnqueueResetEnvs(lc *exec.LaunchContext, list exec.Array[int32]) {
	if err := t.open("enqueue reset envs"); err != nil {
		lc.Fail(err)
		return
	}
	t.component.EnqueueEnvs(lc, list)
}
