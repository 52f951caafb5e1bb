package course

import (
	"context"

	"github.com/trackgen-go/trackgen/backend"
	"github.com/trackgen-go/trackgen/course/collision"
	"github.com/trackgen-go/trackgen/exec"
	"github.com/trackgen-go/trackgen/kernel"
	"github.com/trackgen-go/trackgen/kernels/course"
)

// Step finds what has happened to every agent and box since the last step, from the arrays that are bound, and returns
// the Signals of the course. Inside a capture of the stream that ctx resolves to, the work is recorded, not run. A step
// is one or two launches. It reads nothing back, and on an eager CPU device allocates nothing after the first one.
//
// Events come first, so that frames are those around the new target (C-107). It returns a *backend.ArgumentError if
// nothing is bound.
func (c *Course) Step(ctx context.Context) (*Signals, error) {
	const op = "step"
	if err := c.begin(op); err != nil {
		return nil, err
	}
	defer c.busy.Store(false)
	if err := c.checkBound(op); err != nil {
		return nil, err
	}
	if err := c.component.Run(ctx, op, c.steps.Get(c.inputs)); err != nil {
		return nil, err
	}
	return c.signals, nil
}

// Reset puts the agents of the envs whose mask is not 0 to the start: the next step reports no events for them, and
// they have to pass checkpoint 0. The signals of the last step stay. mask has one int32 per env and is read on the
// device, so its values may change between calls and between replays of a graph. The zero array stands for all envs.
func (c *Course) Reset(ctx context.Context, mask exec.Array[int32]) error {
	const op = "reset"
	if err := c.begin(op); err != nil {
		return err
	}
	defer c.busy.Store(false)
	mask, err := c.component.Mask(op, mask)
	if err != nil {
		return err
	}
	return c.component.Run(ctx, op, c.resets.Get(mask))
}

// step emits the launches of a step.
func (t *tools) step(lc *exec.LaunchContext, in Inputs) {
	t.locate(lc, in)
	t.findContacts(lc, in)
}

// locate emits the launch of a step that finds where the agents are.
func (t *tools) locate(lc *exec.LaunchContext, in Inputs) {
	if t.localiser == nil {
		t.tracker.EnqueueUpdateAt(lc, in.Position)
	} else {
		t.followAgents(lc, in.Position)
	}
}

// findContacts emits the launch that finds what agents and boxes touch, if they look for anything.
func (t *tools) findContacts(lc *exec.LaunchContext, in Inputs) {
	boxes := in.boxes()
	balls := collision.Balls{Position: in.Position, Target: t.tracker.State().Target}
	switch {
	case t.borders != nil && t.others != nil:
		t.borders.EnqueueQueryWithAgents(lc, boxes, t.others)
	case t.borders != nil:
		t.borders.EnqueueQueryBoxes(lc, boxes)
	case t.field != nil && t.others != nil:
		t.field.EnqueueQueryWithAgents(lc, boxes, t.others)
	case t.field != nil:
		t.field.EnqueueQueryBoxes(lc, boxes)
	case t.posts != nil && t.others != nil:
		t.posts.EnqueueQueryWithAgents(lc, boxes, t.others)
	case t.posts != nil:
		t.posts.EnqueueQueryBoxes(lc, boxes)
	case t.frames != nil && t.others != nil:
		t.frames.EnqueueQueryWithAgents(lc, balls, boxes, t.others)
	case t.frames != nil:
		t.frames.EnqueueQueryBalls(lc, balls)
	case t.others != nil:
		t.others.EnqueueQueryBoxes(lc, boxes)
	}
}

// followAgents emits the launch that follows the agents past the checkpoints and along the line.
func (t *tools) followAgents(lc *exec.LaunchContext, position exec.Array[kernel.Vec3]) {
	p, l := t.tracker.Arrays(), t.localiser.Arrays()
	n := p.Envs * p.Agents
	if p.Agents == 1 {
		course.Follow(lc, n, course.FollowArgs{
			Agents: int32(n), Room: int32(p.MaxCheckpoints), MaxPoints: l.MaxPoints, Window: l.Window, Position: position,
			Checkpoint: p.Checkpoints.Position, Left: p.Checkpoints.Left, Right: p.Checkpoints.Right,
			Forward: p.Checkpoints.Forward, UpHalf: p.Checkpoints.UpHalf, Count: p.Checkpoints.Count,
			Previous: p.Previous, Integers: p.Integers, Floats: p.Floats,
			Index: l.Index, LineIntegers: l.Integers, LineFloats: l.Floats,
		})
		return
	}
	course.FollowRanked(lc, p.Envs, course.FollowRankedArgs{
		Agents: int32(n), PerEnv: int32(p.Agents), Room: int32(p.MaxCheckpoints), MaxPoints: l.MaxPoints, Window: l.Window,
		Position: position, Checkpoint: p.Checkpoints.Position, Left: p.Checkpoints.Left, Right: p.Checkpoints.Right,
		Forward: p.Checkpoints.Forward, UpHalf: p.Checkpoints.UpHalf, Count: p.Checkpoints.Count,
		Previous: p.Previous, Integers: p.Integers, Floats: p.Floats,
		Index: l.Index, LineIntegers: l.Integers, LineFloats: l.Floats,
	})
}

// boxes returns the boxes.
func (in Inputs) boxes() collision.Boxes {
	return collision.Boxes{Position: in.boxPosition(), Orientation: in.Orientation, HalfExtents: in.HalfExtents}
}

// checkBound returns a *backend.ArgumentError if nothing is bound. Unlike those of components, calls of a course take
// no inputs.
func (c *Course) checkBound(op string) error {
	if c.component.Bound() {
		return nil
	}
	return &backend.ArgumentError{Op: "course: " + op, Argument: "inputs", Value: "none",
		Allowed: "those of a Bind before"}
}
