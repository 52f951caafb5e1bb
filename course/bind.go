package course

import (
	"errors"

	"github.com/trackgen-go/trackgen/backend"
	"github.com/trackgen-go/trackgen/exec"
	"github.com/trackgen-go/trackgen/kernel"
)

// Inputs are the arrays, in device memory, that the steps of a course read: where the agents and their boxes are. The
// simulator writes them before each step. With A agents and B boxes per env, agent a of env e is element e*A + a, and
// box b is element e*B + b. A position with a NaN pauses its agent or box.
type Inputs struct {
	Position exec.Array[kernel.Vec3] // [E*A] positions of the agents, in track units

	// Orientation has the orientations of the boxes [E*B] (x, y, z, w), of which the yaw counts. Where nothing collides
	// with boxes, it and the other arrays of boxes are not needed.
	Orientation exec.Array[kernel.Quat]
	HalfExtents exec.Array[kernel.Vec2] // [E*B] half of the length and of the width of the boxes
	// BoxPosition has the centres of the boxes [E*B]. Without it each agent has one box, around its position.
	BoxPosition exec.Array[kernel.Vec3]
}

// boxPosition returns the centres of the boxes.
func (in Inputs) boxPosition() exec.Array[kernel.Vec3] {
	if in.BoxPosition.IsZero() {
		return in.Position
	}
	return in.BoxPosition
}

// check refuses arrays that are missing, on another device or of another length (C-106).
func (in Inputs) check(op string, device backend.Device, envs int, c Config) error {
	if err := in.Position.Check(op, "position", device, envs*c.Agents); err != nil {
		return err
	}
	n := envs * c.boxes()
	var failed []error
	if c.hasBoxes() || !in.Orientation.IsZero() {
		failed = append(failed, in.Orientation.Check(op, "orientation", device, n))
	}
	if c.hasBoxes() || !in.HalfExtents.IsZero() {
		failed = append(failed, in.HalfExtents.Check(op, "half_extents", device, n))
	}
	if c.boxes() != c.Agents || !in.BoxPosition.IsZero() {
		failed = append(failed, in.BoxPosition.Check(op, "box_position", device, n))
	}
	return errors.Join(failed...)
}

// Bind makes in the arrays that Step reads from now on (C-106). Binding others replaces them; a graph that has recorded
// a step keeps reading the old ones, about which a warning tells (R97).
//
// It returns a *backend.ArgumentError for an array that is missing or does not fit.
func (c *Course) Bind(in Inputs) error {
	const op = "bind"
	if err := c.open(op); err != nil {
		return err
	}
	if err := in.check(prefix+op, c.component.Device(), c.source.envs(), c.config); err != nil {
		return err
	}
	c.inputs = in
	c.component.Bind(exec.InputOf("position", in.Position), exec.InputOf("orientation", in.Orientation),
		exec.InputOf("half_extents", in.HalfExtents), exec.InputOf("box_position", in.BoxPosition))
	return nil
}
