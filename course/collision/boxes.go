package collision

import (
	"errors"

	"github.com/trackgen-go/trackgen/backend"
	"github.com/trackgen-go/trackgen/exec"
	"github.com/trackgen-go/trackgen/kernel"
)

// prefix stands once in each message of the package, in front of what a function of the package was doing.
const prefix = "collision: "

// Boxes are the oriented boxes that a query asks about, in device memory. A box stands on the plan view: of its
// orientation, the yaw counts (C-70). Slot b of env e is element e*B + b of each array, where B is the number of boxes
// per env. Every step may have other values, sizes too. A position with a NaN pauses a box: it has no contact, and the
// answers are those of C-71 for it.
type Boxes struct {
	Position    exec.Array[kernel.Vec3] // [E*B] centres, in track units
	Orientation exec.Array[kernel.Quat] // [E*B] (x, y, z, w); needs no unit length
	HalfExtents exec.Array[kernel.Vec2] // [E*B] half of the length, along the heading, and of the width
}

// Check returns a *backend.ArgumentError, which names the array, unless each array has n elements on a device.
func (b Boxes) Check(op string, device backend.Device, n int) error {
	return errors.Join(
		b.Position.Check(op, "position", device, n),
		b.Orientation.Check(op, "orientation", device, n),
		b.HalfExtents.Check(op, "half_extents", device, n))
}

// inputs names the arrays for warnings about a later Bind (R97).
func (b Boxes) inputs() []exec.Input {
	return []exec.Input{exec.InputOf("position", b.Position), exec.InputOf("orientation", b.Orientation),
		exec.InputOf("half_extents", b.HalfExtents)}
}

// queries are the hot methods of a checker of boxes.
type queries = questions[Boxes]
