package gate

import (
	"github.com/trackgen-go/trackgen/kernel"
	"github.com/trackgen-go/trackgen/kernels/centerline"
	"github.com/trackgen-go/trackgen/kernels/elevation"
)

// The tests that a course can fail, one bit each.
const (
	TooFew     = 1 << iota // fewer gates than the smallest number of a valid course
	TooMany                // more control points than a course has room for
	NotFinite              // a value of a gate is NaN or infinite
	Direction              // a gate has no direction, because its neighbours are in one place
	Separation             // two gates are nearer than twice the radius of a gate
	Crossing               // two gates cross in plan view
	Grade                  // the course is too steep between two gates
	Distance               // two successive gates are too near or too far
	Turn                   // the course turns too little or too much at a gate
	Road                   // the track along which the gates stand is not valid
)

// slack of the test for separation, relative to the square of the distance or to 1.
const slack = 1e-6

// testPairs tests gate i against all later gates: for their distance in plan view, and whether their bars cross (C-38).
func testPairs(i, n, base int32, apart float32, position, left, right []kernel.Vec3, halfSize []float32) int32 {
	failed := int32(0)
	least := float32(apart * apart)
	slop := float32(slack * kernel.Max(1, least))
	p := position[base+i]
	wide := halfSize[base+i] > 0
	for j := i + 1; j < n; j++ {
		q := position[base+j]
		x := q.X - p.X
		y := q.Y - p.Y
		if (float32(x*x)+float32(y*y))+slop < least {
			failed |= Separation
		}
		if wide && barsCross(plan(left[base+i]), plan(right[base+i]), plan(left[base+j]), plan(right[base+j])) {
			failed |= Crossing
		}
	}
	return failed
}

func plan(v kernel.Vec3) kernel.Vec2 { return kernel.V2(v.X, v.Y) }

// barsCross reports whether the segments a-b and c-d cross at a point inside of both.
func barsCross(a, b, c, d kernel.Vec2) bool {
	ab := b.Sub(a)
	cd := d.Sub(c)
	return opposite(ab.Cross(c.Sub(a)), ab.Cross(d.Sub(a))) && opposite(cd.Cross(a.Sub(c)), cd.Cross(b.Sub(c)))
}

// opposite reports whether one number is positive and the other negative.
func opposite(x, y float32) bool { return x > 0 && y < 0 || x < 0 && y > 0 }

// testStep tests the way from gate i to the next one: its grade (C-15) and its length.
func testStep(i, n, base int32, maxGrade, minDistance, maxDistance float32, position []kernel.Vec3) int32 {
	failed := int32(0)
	if n < 2 {
		return failed
	}
	way := position[base+centerline.After(i, n)].Sub(position[base+i])
	if elevation.IsSteep(way.Z, plan(way), maxGrade) {
		failed |= Grade
	}
	length := way.Len()
	if length < minDistance || maxDistance > 0 && length > maxDistance {
		failed |= Distance
	}
	return failed
}

// testTurn tests the angle between the way to gate i and the way from it. It measures unit vectors, because the squares
// of areas exceed a float32 in a large course.
func testTurn(i, n, base int32, minTurn, maxTurn float32, position []kernel.Vec3) int32 {
	if n < 3 || !(minTurn > 0 || maxTurn > 0) {
		return 0
	}
	here := position[base+i]
	before := direction(here.Sub(position[base+centerline.Before(i, n)]))
	after := direction(position[base+centerline.After(i, n)].Sub(here))
	turn := kernel.Atan2(before.Cross(after).Len(), before.Dot(after))
	if turn < minTurn || maxTurn > 0 && turn > maxTurn {
		return Turn
	}
	return 0
}
