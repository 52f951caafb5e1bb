package borders

import (
	"github.com/trackgen-go/trackgen/kernel"
	"github.com/trackgen-go/trackgen/kernels/vector"
)

// The results and the state of boxes lie in one array for each type. Each column has one element for each box, and
// column j begins at element j * total, where total is the number of boxes in all envs.
const (
	outOfBoundsColumn = 0 // of the integers
	boundaryColumn    = 1
	hintColumn        = 2 // or after the next one, if there is swept motion
	touchedColumn     = 2 // with swept motion

	distanceColumn = 0 // of the floats
	timeColumn     = 1 // with swept motion

	nearestColumn  = 0 // of the points
	normalColumn   = 1
	previousColumn = 2 // with swept motion
)

// Store writes a contact to the columns of box i.
func Store(c Contact, i, total, swept int32, integers []int32, floats []float32, points []kernel.Vec2) {
	integers[outOfBoundsColumn*total+i] = c.OutOfBounds
	integers[boundaryColumn*total+i] = c.Boundary
	integers[(hintColumn+swept)*total+i] = c.Hint
	floats[distanceColumn*total+i] = c.Distance
	points[nearestColumn*total+i] = c.Nearest
	points[normalColumn*total+i] = c.Normal
}

// StoreTouch writes a first contact, and the centre of the box for the next step, to the columns of box i.
func StoreTouch(t Touch, center kernel.Vec2, i, total int32, integers []int32, floats []float32,
	points []kernel.Vec2) {
	integers[touchedColumn*total+i] = t.Boundary
	floats[timeColumn*total+i] = t.Time
	points[previousColumn*total+i] = center
}

// Update answers for box i of env: it reads the box and its state, and writes its contact. With swept 1 it also answers
// when the box first touches a border on its way from the centre of the previous update; with 0, the columns for that
// do not exist. index has the lines Inner, Outer and Center of each env.
func Update(i, env, total, maxPoints, swept int32, position []kernel.Vec3, orientation []kernel.Quat,
	halfExtents []kernel.Vec2, index []kernel.Quat, integers []int32, floats []float32,
	points []kernel.Vec2) {
	c := Nothing(0)
	t := Touch{Time: kernel.NaN(), Boundary: -1}
	center := kernel.V2(kernel.NaN(), kernel.NaN())
	p := position[i]
	if !vector.HasNaN(p) {
		b := BoxOf(p, orientation[i], halfExtents[i])
		center = b.Center
		c = Find(b, env, maxPoints, integers[(hintColumn+swept)*total+i],
			floats[distanceColumn*total+i], index)
		if swept != 0 {
			t = Sweep(b, MotionTo(b, points[previousColumn*total+i]), c, env, maxPoints, index)
		}
	}
	Store(c, i, total, swept, integers, floats, points)
	if swept != 0 {
		StoreTouch(t, center, i, total, integers, floats, points)
	}
}

// query answers for the boxes of a batch. One item is a box; every env has the same number of them. See Update. An item
// touches the elements of its box in each column; kernelgen cannot prove that columns have no element in common.
//
//kernel:thread
//kernel:unproven
//kernel:iterations queryIterations(maxPoints)
func query(i, boxes, total, maxPoints, swept int32, position []kernel.Vec3, orientation []kernel.Quat,
	halfExtents []kernel.Vec2, index []kernel.Quat, integers []int32, floats []float32,
	points []kernel.Vec2) {
	Update(i, i/boxes, total, maxPoints, swept, position, orientation, halfExtents, index, integers, floats,
		points)
}

// scan is query by a visit to every segment. It is the reference for tests and benchmarks.
//
//kernel:thread
//kernel:unproven
//kernel:iterations scanIterations(maxPoints)
func scan(i, boxes, total, maxPoints, swept int32, position []kernel.Vec3, orientation []kernel.Quat,
	halfExtents []kernel.Vec2, index []kernel.Quat, integers []int32, floats []float32,
	points []kernel.Vec2) {
	c := Nothing(0)
	t := Touch{Time: kernel.NaN(), Boundary: -1}
	center := kernel.V2(kernel.NaN(), kernel.NaN())
	p := position[i]
	if !vector.HasNaN(p) {
		b := BoxOf(p, orientation[i], halfExtents[i])
		center = b.Center
		c = FindByScan(b, i/boxes, maxPoints, index)
		if swept != 0 {
			t = SweepByScan(b, MotionTo(b, points[previousColumn*total+i]), c, i/boxes, maxPoints, index)
		}
	}
	Store(c, i, total, swept, integers, floats, points)
	if swept != 0 {
		StoreTouch(t, center, i, total, integers, floats, points)
	}
}

// forget makes the boxes of the envs whose mask is not 0 forget where they were, so that the next update takes them as
// not moved. One item is a box.
//
//kernel:thread
func forget(i, boxes, total int32, mask []int32, points []kernel.Vec2) {
	if mask[i/boxes] != 0 {
		points[previousColumn*total+i] = kernel.V2(kernel.NaN(), kernel.NaN())
	}
}
