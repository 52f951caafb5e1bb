package collision

import (
	"errors"
	"fmt"

	"github.com/trackgen-go/trackgen/backend"
	"github.com/trackgen-go/trackgen/exec"
	"github.com/trackgen-go/trackgen/kernels/borders"
	"github.com/trackgen-go/trackgen/kernels/distancefield"
	"github.com/trackgen-go/trackgen/kernels/obstacle"
	"github.com/trackgen-go/trackgen/pipeline/allocate"
)

// groups returns the number of groups of a kernel that also tests boxes against each other, and the boxes of a group.
func (a *Agents) groups() (groups int, perGroup int32) {
	return obstacle.Groups(a.config.Envs, a.config.Boxes), int32(obstacle.BoxesOfGroup(a.config.Boxes))
}

// joins returns an error unless a checker of boxes can share its launches with that of agents about the same boxes.
func (q *questions[A]) joins(op string, a *Agents, envs, boxes int, about Boxes) error {
	if err := a.open(op); err != nil {
		return err
	}
	if a.queries.Device() != q.Device() {
		return &backend.ArgumentError{Op: prefix + op, Argument: "agents", Value: "a checker on another device",
			Allowed: "one on the device of this checker"}
	}
	if a.config.Envs != envs || boxes != 0 && a.config.Boxes != boxes {
		return &backend.ArgumentError{Op: prefix + op, Argument: "agents",
			Value:   fmt.Sprintf("a checker of %d envs with %d boxes", a.config.Envs, a.config.Boxes),
			Allowed: "one with the envs and boxes of this checker"}
	}
	return errors.Join(q.CheckBound(op, false), a.queries.CheckBound(op, false), a.queries.check(op, about))
}

// sameMotion returns an error unless a checker and that of agents are both for swept motion, or both not.
func (a *Agents) sameMotion(op string, swept bool) error {
	if a.config.Swept == swept {
		return nil
	}
	return &backend.ArgumentError{Op: prefix + op, Argument: "agents", Value: fmt.Sprintf("swept %t", a.config.Swept),
		Allowed: fmt.Sprintf("swept %t, as this checker", swept)}
}

// EnqueueQueryWithAgents emits EnqueueQueryBoxes of this checker and of a checker of agents, about the same boxes, in
// one launch. Both must have the same envs, boxes and kind of motion.
func (b *Borders) EnqueueQueryWithAgents(lc *exec.LaunchContext, boxes Boxes, agents *Agents) {
	const op = "enqueue query with agents"
	err := b.open(op)
	if err == nil {
		err = b.queries.joins(op, agents, b.source.envs(), b.config.Boxes, boxes)
	}
	if err == nil {
		err = agents.sameMotion(op, b.config.Swept)
	}
	if err != nil {
		lc.Fail(err)
		return
	}
	if b.config.Method == ByScan { // for tests, which need no speed
		b.emit(lc, boxes)
		agents.emit(lc, boxes)
		return
	}
	memory, others, total := b.contacts.packed, agents.contacts.packed, int32(b.queries.number)
	groups, perGroup := agents.groups()
	if b.config.Swept {
		borders.QuerySweptWithAgents(lc, groups, borders.QuerySweptWithAgentsArgs{
			Boxes: int32(b.config.Boxes), PerGroup: perGroup, Total: total, Fetch: b.fetch(),
			MaxPoints: int32(b.maxPoints()), Position: boxes.Position, Previous: agents.previous, Orientation: boxes.Orientation,
			HalfExtents: boxes.HalfExtents, Index: b.index,
			Integers: memory.Integers, Floats: memory.Floats, Points: memory.Vec2,
			OtherIntegers: others.Integers, OtherFloats: others.Floats, OtherVectors: others.Vec2,
		})
		return
	}
	borders.QueryWithAgents(lc, groups, borders.QueryWithAgentsArgs{
		Boxes: int32(b.config.Boxes), PerGroup: perGroup, Total: total, Fetch: b.fetch(),
		MaxPoints: int32(b.maxPoints()), Position: boxes.Position, Orientation: boxes.Orientation,
		HalfExtents: boxes.HalfExtents, Index: b.index,
		Integers: memory.Integers, Floats: memory.Floats, Points: memory.Vec2,
		OtherIntegers: others.Integers, OtherFloats: others.Floats, OtherVectors: others.Vec2,
	})
}

// EnqueueQueryWithAgents emits EnqueueQueryBoxes of this checker and of a checker of agents, about the same boxes, in
// one launch. Both must have the same envs and boxes.
func (f *Field) EnqueueQueryWithAgents(lc *exec.LaunchContext, boxes Boxes, agents *Agents) {
	const op = "enqueue query with agents"
	err := f.open(op)
	if err == nil {
		err = f.queries.joins(op, agents, f.queries.number/f.config.Boxes, f.config.Boxes, boxes)
	}
	if err != nil {
		lc.Fail(err)
		return
	}
	memory, others := f.contacts.packed, agents.contacts.packed
	groups, perGroup := agents.groups()
	distancefield.QueryWithAgents(lc, groups, distancefield.QueryWithAgentsArgs{
		N: int32(f.queries.number), Boxes: int32(f.config.Boxes), PerGroup: perGroup, Side: int32(f.config.Resolution),
		Swept: allocate.Bit(agents.config.Swept), Position: boxes.Position, Previous: agents.previous,
		Orientation: boxes.Orientation, Half: boxes.HalfExtents,
		Phi: f.phi, Boundary: f.boundary, Low: f.low, High: f.high,
		Integers: memory.Integers, Floats: memory.Floats, Vectors: memory.Vec2,
		OtherIntegers: others.Integers, OtherFloats: others.Floats, OtherVectors: others.Vec2,
	})
}

// EnqueueQueryWithAgents emits EnqueueQueryBoxes of this checker and of a checker of agents, about the same boxes, in
// one launch. Both must have the same envs, boxes and kind of motion.
func (d *Discs) EnqueueQueryWithAgents(lc *exec.LaunchContext, boxes Boxes, agents *Agents) {
	const op = "enqueue query with agents"
	err := d.open(op)
	if err == nil {
		err = d.queries.joins(op, agents, d.source.envs(), d.config.Boxes, boxes)
	}
	if err == nil {
		err = agents.sameMotion(op, d.config.Swept)
	}
	if err != nil {
		lc.Fail(err)
		return
	}
	memory, others := d.contacts.packed, agents.contacts.packed
	groups, perGroup := agents.groups()
	obstacle.TouchDiscsAndAgents(lc, groups, obstacle.TouchDiscsAndAgentsArgs{
		N: int32(d.queries.number), Boxes: int32(d.config.Boxes), PerGroup: perGroup, Discs: int32(d.source.perEnv()),
		Radius: float32(d.config.Radius), Swept: allocate.Bit(d.config.Swept),
		Position: boxes.Position, Previous: agents.previous, Orientation: boxes.Orientation,
		Half: boxes.HalfExtents, Disc: d.discs, Count: d.count,
		Integers: memory.Integers, Floats: memory.Floats, Vectors: memory.Vec2,
		OtherIntegers: others.Integers, OtherFloats: others.Floats, OtherVectors: others.Vec2,
	})
}

// EnqueueQueryWithAgents emits EnqueueQueryBalls of this checker and EnqueueQueryBoxes of a checker of agents in one
// launch. Both must have the same envs.
func (f *Frames) EnqueueQueryWithAgents(lc *exec.LaunchContext, balls Balls, boxes Boxes, agents *Agents) {
	const op = "enqueue query with agents"
	err := f.open(op)
	if err == nil {
		envs := f.questions.number / f.config.Agents
		err = errors.Join(f.questions.joins(op, agents, envs, 0, boxes), f.questions.check(op, balls))
	}
	if err != nil {
		lc.Fail(err)
		return
	}
	s, c, memory, others := f.source, f.config, f.contacts.packed, agents.contacts.packed
	groups, perGroup := agents.groups()
	obstacle.TouchFramesAndAgents(lc, groups, obstacle.TouchFramesAndAgentsArgs{
		Envs: int32(agents.config.Envs), Agents: int32(c.Agents), Boxes: int32(agents.config.Boxes), PerGroup: perGroup,
		Gates: int32(s.Position.Len() / s.Count.Len()), Window: int32(c.Window), Radius: float32(c.Radius),
		Thickness: float32(c.Thickness), Depth: float32(c.Depth), Swept: allocate.Bit(agents.config.Swept),
		Position: balls.Position, Target: balls.Target, Gate: s.Position, Turn: s.Orientation, Opening: s.HalfSize,
		Count: s.Count, Valid: s.Valid, Integers: memory.Integers, Floats: memory.Floats,
		Center: boxes.Position, Previous: agents.previous, Orientation: boxes.Orientation, Half: boxes.HalfExtents,
		OtherIntegers: others.Integers, OtherFloats: others.Floats, OtherVectors: others.Vec2,
	})
}
