package race

import (
	"context"

	"github.com/trackgen-go/trackgen/backend"
	"github.com/trackgen-go/trackgen/course"
	"github.com/trackgen-go/trackgen/exec"
	"github.com/trackgen-go/trackgen/kernels/race"
	"github.com/trackgen-go/trackgen/kernels/selection"
	"github.com/trackgen-go/trackgen/race/vehicle"
)

// BindActions makes actions the actions of all later calls of Step: [E*A*C] numbers from -1 to 1, those of an agent
// beside each other, as vehicle.Inputs has them. The driver writes them before each step. A later call replaces them,
// and warns if a capture has recorded the earlier ones (R97). It returns a *backend.ArgumentError for an array that
// does not fit.
func (r *Race) BindActions(actions exec.Array[float32]) error {
	const op = "bind actions"
	if err := r.open(op); err != nil {
		return err
	}
	if err := r.checkActions(prefix+op, actions); err != nil {
		return err
	}
	r.actions = actions
	r.component.Bind(exec.InputOf("actions", actions))
	return nil
}

// actionLength returns the number of actions of all agents.
func (r *Race) actionLength() int {
	c := r.config
	return r.component.Envs() * c.Course.Agents * vehicle.Channels(c.Vehicle.Model)
}

// checkActions refuses actions on another device or of another length.
func (r *Race) checkActions(op string, actions exec.Array[float32]) error {
	return actions.Check(op, "actions", r.component.Device(), r.actionLength())
}

// Step makes a step of all agents by the bound actions, and fills Outcomes and Observations. Inside a capture of the
// stream that ctx resolves to, the work is recorded, not run. It reads nothing back, and on an eager CPU device
// allocates nothing after the first call.
//
// First, the envs whose episodes the last step has ended begin anew, as Autoreset says. Their vehicles stay at the
// start in this step, its actions do not count for them, its rewards are 0, and it observes the new begin. All other
// vehicles move. docs/spec/race.md, L-100 to L-104, has the order.
func (r *Race) Step(ctx context.Context) error {
	const op = "step"
	if err := r.begin(op); err != nil {
		return err
	}
	defer r.busy.Store(false)
	if err := r.component.CheckBound(op, true); err != nil {
		return err
	}
	return r.component.Run(ctx, op, r.steps.Get(r.actions))
}

// StepActions is Step with the actions of the call. It returns a *backend.ArgumentError if others are bound (C-90). On
// an eager CPU device, only the first call with an array allocates.
func (r *Race) StepActions(ctx context.Context, actions exec.Array[float32]) error {
	const op = "step actions"
	if err := r.begin(op); err != nil {
		return err
	}
	defer r.busy.Store(false)
	if err := r.component.CheckBound(op, false); err != nil {
		return err
	}
	if err := r.checkActions(prefix+op, actions); err != nil {
		return err
	}
	return r.component.Run(ctx, op, r.perCall.Get(actions))
}

// EnqueueStep emits one Step on lc without any policy, for callers that record it as a part of their own work.
func (r *Race) EnqueueStep(lc *exec.LaunchContext) {
	const op = "enqueue step"
	err := r.open(op)
	if err == nil {
		err = r.component.CheckBound(op, true)
	}
	if err != nil {
		lc.Fail(err)
		return
	}
	r.component.Recorded(lc)
	r.parts.step(lc, r.course, r.actions)
}

// EnqueueReset emits one Reset on lc without any policy.
func (r *Race) EnqueueReset(lc *exec.LaunchContext, mask exec.Array[int32]) {
	const op = "enqueue reset"
	err := r.open(op)
	if err == nil {
		mask, err = r.component.Mask(op, mask)
	}
	if err != nil {
		lc.Fail(err)
		return
	}
	r.parts.reset(lc, r.course, mask)
}

// step emits a step.
func (p *parts) step(lc *exec.LaunchContext, of *course.Course, actions exec.Array[float32]) {
	if p.autoreset != Never {
		p.renew(lc, of, p.ended)
	}
	p.move(lc, of, actions)
	for _, o := range p.observers {
		o.observe(lc)
	}
}

// move emits what follows the begin of episodes: vehicles, course, rewards and totals.
func (p *parts) move(lc *exec.LaunchContext, of *course.Course, actions exec.Array[float32]) {
	p.drive(lc, actions)
	of.EnqueueStep(lc)
	p.reward(lc, of, actions)
}

// drive emits the motion of the vehicles.
func (p *parts) drive(lc *exec.LaunchContext, actions exec.Array[float32]) {
	in := p.inputs
	in.Actions = actions
	p.simulator.EnqueueStepAt(lc, in)
}

// reward emits the rewards, the ends of episodes and the totals.
func (p *parts) reward(lc *exec.LaunchContext, of *course.Course, actions exec.Array[float32]) {
	judged := p.judged
	judged.Action = actions
	if p.road != nil {
		places := of.Signals().Places
		race.Beside(lc, p.beside.Len(), race.BesideArgs{Agents: int32(places.Agents), MaxPoints: int32(p.road.NMax),
			N: places.N, Segment: places.Segment, Right: p.road.WidthRight, Left: p.road.WidthLeft, Off: p.beside})
	}
	p.judge.EnqueueUpdateAt(lc, judged)
	p.totals.add(lc, p.judge.Outcomes())
}

// renewal begins new episodes in the envs of a mask. It is made once, so that steps allocate nothing.
type renewal struct {
	mask exec.Array[int32]
	rest exec.Enqueue // what follows new tracks
}

// renewalOf returns the renewal of the envs of a mask.
func (p *parts) renewalOf(of *course.Course, mask exec.Array[int32]) renewal {
	return renewal{mask: mask, rest: func(lc *exec.LaunchContext) {
		if p.autoreset != Regenerate {
			of.EnqueueReset(lc, mask)
		}
		for _, refresh := range p.refreshes {
			refresh(lc, p.list)
		}
		p.episodes.AdvanceMasked(lc, mask)
		p.start(lc, mask)
	}}
}

// renew emits new episodes (L-101).
func (p *parts) renew(lc *exec.LaunchContext, of *course.Course, r renewal) {
	if p.autoreset == Regenerate {
		of.EnqueueRegenerate(lc, r.mask) // is skipped by itself if there are no such envs
	}
	selection.Compact(lc, selection.Groups(p.everyone.Len()), int32(p.everyone.Len()), r.mask, p.list)
	exec.SkipUnless(lc, p.any, r.rest)
}

// reset emits new episodes of the envs of a mask that a caller names. The mask may be one of the outcomes, so it is
// copied, because the next step must not begin these envs anew once more.
func (p *parts) reset(lc *exec.LaunchContext, of *course.Course, mask exec.Array[int32]) {
	exec.Copy(lc, p.mask, mask)
	p.renew(lc, of, p.chosen)
	race.Release(lc, p.mask.Len(), p.mask, p.judge.Outcomes().Done)
	p.observe(lc, of)
	p.judge.EnqueueNote(lc, of.Signals().Places.S)
}

// first emits the first episodes of all envs, on the present tracks, and observes.
func (p *parts) first(lc *exec.LaunchContext, of *course.Course) {
	exec.Fill(lc, p.judge.Outcomes().Done, 0)
	of.EnqueueReset(lc, p.everyone)
	selection.Compact(lc, selection.Groups(p.everyone.Len()), int32(p.everyone.Len()), p.everyone, p.list)
	for _, refresh := range p.refreshes {
		refresh(lc, p.list)
	}
	p.episodes.ResetEpoch(lc)
	p.start(lc, p.everyone)
	p.totals.clear(lc)
	p.observe(lc, of)
	p.judge.EnqueueNote(lc, of.Signals().Places.S)
}

// start emits the begin of the agents of the envs of a mask. Their boxes, which vehicles draw, say where there is room,
// so the vehicles are reset before they are placed, and once more to stand at their places: both times they draw the
// same.
func (p *parts) start(lc *exec.LaunchContext, mask exec.Array[int32]) {
	p.simulator.EnqueueReset(lc, mask)
	p.spawner.EnqueueSpawn(lc, mask)
	p.simulator.EnqueueReset(lc, mask)
	p.judge.EnqueueReset(lc, mask)
	if p.finder != nil {
		p.finder.EnqueueReset(lc, mask)
	}
}

// observe emits the observations of agents that have been moved by other means than a step.
func (p *parts) observe(lc *exec.LaunchContext, of *course.Course) {
	of.Localiser().EnqueueLocateAt(lc, p.simulator.State().Position)
	for _, o := range p.observers {
		o.observe(lc)
	}
}

// noReceiver is the error of a call of a result that no race has made.
func noReceiver(op, allowed string) error {
	return &backend.ArgumentError{Op: prefix + op, Argument: "receiver", Value: nil, Allowed: allowed}
}
