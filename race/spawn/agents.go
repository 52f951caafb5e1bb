package spawn

import (
	"errors"

	"github.com/trackgen-go/trackgen/backend"
	"github.com/trackgen-go/trackgen/exec"
	"github.com/trackgen-go/trackgen/kernel"
)

// Agents are the arrays of agents, in device memory, as simulators have them. Element e*A + a is that of agent a of
// env e. A spawn writes them but for HalfExtents, which it reads.
type Agents struct {
	Position    exec.Array[kernel.Vec3] // [E*A] in track units
	Orientation exec.Array[kernel.Quat] // [E*A] (x, y, z, w)

	Velocity exec.Array[kernel.Vec3] // optional: [E*A] in track units per second, in the world
	// HalfExtents has half of the length and of the width of each agent's box; optional, [E*A]. Without it, agents are
	// points.
	HalfExtents exec.Array[kernel.Vec2]
}

// check refuses arrays that are missing, on another device or of another length, and agents without boxes where a
// setting needs them.
func (a Agents) check(op string, device backend.Device, n int, c *Config) error {
	err := errors.Join(a.Position.Check(op, "position", device, n), a.Orientation.Check(op, "orientation", device, n))
	if !a.Velocity.IsZero() {
		err = errors.Join(err, a.Velocity.Check(op, "velocity", device, n))
	}
	if !a.HalfExtents.IsZero() {
		return errors.Join(err, a.HalfExtents.Check(op, "half_extents", device, n))
	}
	if c.Mode == Grid && c.Agents > c.Grid.Columns && c.Grid.RowSpacing == 0 {
		return errors.Join(err, &backend.ArgumentError{Op: op, Argument: "half_extents", Value: "none",
			Allowed: "an array, because grid.row_spacing is not set"})
	}
	return err
}

// named names the arrays, for warnings about a later Bind (R97).
func (a Agents) named() []exec.Input {
	return []exec.Input{exec.InputOf("position", a.Position), exec.InputOf("orientation", a.Orientation),
		exec.InputOf("velocity", a.Velocity), exec.InputOf("half_extents", a.HalfExtents)}
}
