package localise

import (
	"context"

	"github.com/trackgen-go/trackgen/exec"
	"github.com/trackgen-go/trackgen/kernel"
)

// Bind makes position the positions of all later calls of Locate: [E*A], in track units. A position with a NaN pauses
// its agent: its frame is NaN and -1. A later Bind replaces them, and warns if a capture has recorded the earlier ones
// (C-90, R97).
func (l *Localiser) Bind(position exec.Array[kernel.Vec3]) error {
	const op = "bind"
	if err := l.open(op); err != nil {
		return err
	}
	if err := l.check(prefix+op, position); err != nil {
		return err
	}
	l.position = position
	l.component.Bind(exec.InputOf("position", position))
	return nil
}

// check refuses positions on another device or of another number.
func (l *Localiser) check(op string, position exec.Array[kernel.Vec3]) error {
	return position.Check(op, "position", l.component.Device(), l.number())
}

// Locate fills the Frames for the bound positions, which it reads on the device. Inside a capture of the stream that
// ctx resolves to, the work is recorded, not run.
func (l *Localiser) Locate(ctx context.Context) error {
	const op = "locate"
	if err := l.open(op); err != nil {
		return err
	}
	if err := l.component.CheckBound(op, true); err != nil {
		return err
	}
	return l.component.Run(ctx, op, l.bound.Get(l.position))
}

// LocateAt is Locate for the positions of the call, if none are bound (C-90). On an eager CPU device, only the first
// call with an array allocates.
func (l *Localiser) LocateAt(ctx context.Context, position exec.Array[kernel.Vec3]) error {
	const op = "locate at"
	if err := l.open(op); err != nil {
		return err
	}
	if err := l.component.CheckBound(op, false); err != nil {
		return err
	}
	if err := l.check(prefix+op, position); err != nil {
		return err
	}
	return l.component.Run(ctx, op, l.perCall.Get(position))
}

// EnqueueLocate emits one Locate on lc without any policy.
func (l *Localiser) EnqueueLocate(lc *exec.LaunchContext) {
	const op = "enqueue locate"
	err := l.open(op)
	if err == nil {
		err = l.component.CheckBound(op, true)
	}
	if err != nil {
		lc.Fail(err)
		return
	}
	l.component.Recorded(lc)
	l.locate(lc, l.position)
}

// EnqueueLocateAt emits one LocateAt on lc without any policy.
func (l *Localiser) EnqueueLocateAt(lc *exec.LaunchContext, position exec.Array[kernel.Vec3]) {
	const op = "enqueue locate at"
	err := l.open(op)
	if err == nil {
		err = l.component.CheckBound(op, false)
	}
	if err == nil {
		err = l.check(prefix+op, position)
	}
	if err != nil {
		lc.Fail(err)
		return
	}
	l.locate(lc, position)
}

// Reset makes the agents of the envs whose mask is not 0 remember no segment, so that their next search is one of the
// whole line (C-82). It does not touch the other columns. mask has one int32 per env and is read on the device. The
// zero array stands for all envs. On an eager CPU device, only the first call with a mask allocates.
func (l *Localiser) Reset(ctx context.Context, mask exec.Array[int32]) error {
	const op = "reset"
	if err := l.open(op); err != nil {
		return err
	}
	mask, err := l.component.Mask(op, mask)
	if err != nil {
		return err
	}
	return l.component.Run(ctx, op, l.resets.Get(mask))
}

// EnqueueReset emits one Reset on lc without any policy.
func (l *Localiser) EnqueueReset(lc *exec.LaunchContext, mask exec.Array[int32]) {
	const op = "enqueue reset"
	err := l.open(op)
	if err == nil {
		mask, err = l.component.Mask(op, mask)
	}
	if err != nil {
		lc.Fail(err)
		return
	}
	l.forget(lc, mask)
}
