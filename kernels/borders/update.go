package borders

import (
	"github.com/trackgen-go/trackgen/kernel"
	"github.com/trackgen-go/trackgen/kernels/polyline"
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

// Update answers for box i of env: it reads the box and its state, and writes its contact. There are no columns for
// swept motion. index has the lines Inner and Outer of each env. The first of each fetch successive boxes fetches the
// index of its env, see polyline.Fetch; if fetch is 0, none does.
func Update(i, env, total, fetch, maxPoints int32, position []kernel.Vec3, orientation []kernel.Quat,
	halfExtents []kernel.Vec2, index []kernel.Quat, integers []int32, floats []float32, points []kernel.Vec2) {
	c := Nothing(0)
	p := position[i]
	if !vector.HasNaN(p) {
		b := BoxOf(p, orientation[i], halfExtents[i])
		hint := hintOf(i, env, fetch, maxPoints, integers[hintColumn*total+i], index)
		c = Find(b, env, maxPoints, hint, floats[distanceColumn*total+i], index)
	}
	Store(c, i, total, 0, integers, floats, points)
}

// UpdateSwept is Update with the columns for swept motion. It also answers when the box first touches a border on its
// way from the centre of the previous update.
func UpdateSwept(i, env, total, fetch, maxPoints int32, position []kernel.Vec3, orientation []kernel.Quat,
	halfExtents []kernel.Vec2, index []kernel.Quat, integers []int32, floats []float32, points []kernel.Vec2) {
	t := Touch{Time: kernel.NaN(), Boundary: -1}
	center := kernel.V2(kernel.NaN(), kernel.NaN())
	p := position[i]
	if vector.HasNaN(p) {
		Store(Nothing(0), i, total, 1, integers, floats, points)
	} else {
		b := BoxOf(p, orientation[i], halfExtents[i])
		hint := hintOf(i, env, fetch, maxPoints, integers[(hintColumn+1)*total+i], index)
		c := Find(b, env, maxPoints, hint, floats[distanceColumn*total+i], index)
		Store(c, i, total, 1, integers, floats, points) // before the sweep, which needs the registers
		center = b.Center
		t = Sweep(b, MotionTo(b, points[previousColumn*total+i]), c, env, maxPoints, index)
	}
	StoreTouch(t, center, i, total, integers, floats, points)
}

// hintOf returns the hint of box i, and fetches the index of its env if it is the first of fetch successive boxes.
func hintOf(i, env, fetch, maxPoints, hint int32, index []kernel.Quat) int32 {
	if fetch > 0 && i%fetch == 0 && !polyline.Fetch(env, Lines, maxPoints, index) {
		return -1
	}
	return hint
}

// groupBoxes is how many boxes are one group. A block of fewer threads than that of a thread kernel has more registers
// for each of them, so that none are spilled.
const groupBoxes = 32

// query answers for the boxes of a batch. One group is groupBoxes boxes; every env has the same number of them. See
// Update. An item touches the elements of its box in each column; kernelgen cannot prove that columns have no element
// in common.
//
//kernel:group lanes=32
//kernel:unproven
//kernel:iterations queryIterations(maxPoints, lanes)
func query(g kernel.Group, boxes, total, fetch, maxPoints int32, position []kernel.Vec3, orientation []kernel.Quat,
	halfExtents []kernel.Vec2, index []kernel.Quat, integers []int32, floats []float32, points []kernel.Vec2) {
	first := g.ID * groupBoxes
	for k := range g.Each(sizeOf(first, total)) {
		Update(first+k, (first+k)/boxes, total, fetch, maxPoints, position, orientation, halfExtents, index, integers, floats,
			points)
	}
}

// querySwept is query with swept motion: see UpdateSwept. It is a kernel of its own, because drivers take long to
// compile large ones.
//
//kernel:group lanes=32
//kernel:unproven
//kernel:iterations querySweptIterations(maxPoints, lanes)
func querySwept(g kernel.Group, boxes, total, fetch, maxPoints int32, position []kernel.Vec3, orientation []kernel.Quat,
	halfExtents []kernel.Vec2, index []kernel.Quat, integers []int32, floats []float32, points []kernel.Vec2) {
	first := g.ID * groupBoxes
	for k := range g.Each(sizeOf(first, total)) {
		UpdateSwept(first+k, (first+k)/boxes, total, fetch, maxPoints, position, orientation, halfExtents, index, integers,
			floats, points)
	}
}

// sizeOf returns the number of boxes of the group that begins with box first.
func sizeOf(first, total int32) int32 {
	if total-first < groupBoxes {
		return total - first
	}
	return groupBoxes
}

// scan is query by a visit to every segment. It is the reference for tests and benchmarks.
//
//kernel:group lanes=32
//kernel:unproven
//kernel:iterations scanIterations(maxPoints, lanes)
func scan(g kernel.Group, boxes, total, maxPoints, swept int32, position []kernel.Vec3, orientation []kernel.Quat,
	halfExtents []kernel.Vec2, index []kernel.Quat, integers []int32, floats []float32, points []kernel.Vec2) {
	first := g.ID * groupBoxes
	for k := range g.Each(sizeOf(first, total)) {
		updateByScan(first+k, (first+k)/boxes, total, maxPoints, swept, position, orientation, halfExtents, index, integers,
			floats, points)
	}
}

// updateByScan is Update by a visit to every segment.
func updateByScan(i, env, total, maxPoints, swept int32, position []kernel.Vec3, orientation []kernel.Quat,
	halfExtents []kernel.Vec2, index []kernel.Quat, integers []int32, floats []float32, points []kernel.Vec2) {
	c := Nothing(0)
	t := Touch{Time: kernel.NaN(), Boundary: -1}
	center := kernel.V2(kernel.NaN(), kernel.NaN())
	p := position[i]
	if !vector.HasNaN(p) {
		b := BoxOf(p, orientation[i], halfExtents[i])
		center = b.Center
		c = FindByScan(b, env, maxPoints, index)
		if swept != 0 {
			t = SweepByScan(b, MotionTo(b, points[previousColumn*total+i]), c, env, maxPoints, index)
		}
	}
	Store(c, i, total, swept, integers, floats, points)
	if swept != 0 {
		StoreTouch(t, center, i, total, integers, floats, points)
	}
}

// Groups returns the number of groups of query, or of scan, for a number of boxes.
func Groups(boxes int) int { return (boxes + groupBoxes - 1) / groupBoxes }

// forget makes the boxes of the envs whose mask is not 0 forget where they were, so that the next update takes them as
// not moved. One item is a box.
//
//kernel:thread
func forget(i, boxes, total int32, mask []int32, points []kernel.Vec2) {
	if mask[i/boxes] != 0 {
		points[previousColumn*total+i] = kernel.V2(kernel.NaN(), kernel.NaN())
	}
}
