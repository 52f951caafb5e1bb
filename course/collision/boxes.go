package collision

import (
	"context"
	"errors"

	"github.com/trackgen-go/trackgen/backend"
	"github.com/trackgen-go/trackgen/course/internal/component"
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

// queries are the hot methods of a checker of boxes, with boxes that are bound, or with those of the call (C-90).
type queries struct {
	*component.Component
	number int // of boxes in all envs
	emit   func(lc *exec.LaunchContext, boxes Boxes)

	boxes   Boxes // bound
	bound   component.Works[Boxes]
	perCall component.Works[Boxes]
}

// setUp sets the queries of a checker of number boxes. emit launches a query.
func (q *queries) setUp(c *component.Component, number int, emit func(lc *exec.LaunchContext, boxes Boxes)) {
	q.Component, q.number, q.emit = c, number, emit
	q.bound.Make = func(boxes Boxes) exec.Enqueue {
		return func(lc *exec.LaunchContext) {
			c.Recorded(lc)
			emit(lc, boxes)
		}
	}
	q.perCall.Make = func(boxes Boxes) exec.Enqueue {
		return func(lc *exec.LaunchContext) { emit(lc, boxes) }
	}
}

// bind checks boxes, and makes them those of later queries.
func (q *queries) bind(op string, boxes Boxes) error {
	if err := boxes.Check(prefix+op, q.Device(), q.number); err != nil {
		return err
	}
	q.boxes = boxes
	q.Bind(boxes.inputs()...)
	return nil
}

// query asks about the bound boxes.
func (q *queries) query(ctx context.Context, op string) error {
	if err := q.CheckBound(op, true); err != nil {
		return err
	}
	return q.Run(ctx, op, q.bound.Get(q.boxes))
}

// queryBoxes asks about the boxes of the call.
func (q *queries) queryBoxes(ctx context.Context, op string, boxes Boxes) error {
	if err := q.CheckBound(op, false); err != nil {
		return err
	}
	if err := boxes.Check(prefix+op, q.Device(), q.number); err != nil {
		return err
	}
	return q.Run(ctx, op, q.perCall.Get(boxes))
}

// enqueue emits a query about the bound boxes without any policy.
func (q *queries) enqueue(lc *exec.LaunchContext, op string) {
	if err := q.CheckBound(op, true); err != nil {
		lc.Fail(err)
		return
	}
	q.Recorded(lc)
	q.emit(lc, q.boxes)
}

// enqueueBoxes emits a query about the boxes of the call without any policy.
func (q *queries) enqueueBoxes(lc *exec.LaunchContext, op string, boxes Boxes) {
	if err := errors.Join(q.CheckBound(op, false), boxes.Check(prefix+op, q.Device(), q.number)); err != nil {
		lc.Fail(err)
		return
	}
	q.emit(lc, boxes)
}
