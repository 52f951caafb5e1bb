package rangefinder

import (
	"github.com/trackgen-go/trackgen/kernel"
	"github.com/trackgen-go/trackgen/kernels/borders"
	"github.com/trackgen-go/trackgen/kernels/polyline"
	"github.com/trackgen-go/trackgen/kernels/vector"
)

// sides says on which side of the n beams of a fan a point is: on the left of those before until, and on the right of
// the others, or the other way around. A fan is narrower than half a turn, and its beams are farther from each other
// than rounding reaches, so the side changes once at most.
type sides struct {
	left  bool // of the first beam
	until int32
	edge  bool // the first or the last beam goes through the point
}

// sidesOf returns the sides of a point, of which p is the way from the sensor.
func sidesOf(p kernel.Vec2, n int32, ways []kernel.Vec2) sides {
	first := ways[0].Cross(p)
	last := ways[n-1].Cross(p)
	s := sides{left: first >= 0, until: n, edge: first == 0 || last == 0}
	if (last >= 0) != s.left {
		low := int32(0)
		s.until = n - 1
		for s.until-low > 1 {
			middle := (low + s.until) / 2
			if (ways[middle].Cross(p) >= 0) == s.left {
				low = middle
			} else {
				s.until = middle
			}
		}
	}
	return s
}

// record lets beam k of a fan end at the distance t, as nearer does. The fan has the elements of distance and hit from
// at on.
func record(k, at, met int32, t float32, distance []float32, hit []int32) {
	r := nearer(Ray{From: kernel.V2(0, 0), Way: kernel.V2(1, 0), Reach: distance[at+k], Hit: hit[at+k]}, t, met)
	distance[at+k] = r.Reach
	hit[at+k] = r.Hit
}

// recordPoint lets the beams from low to high-1 that go through a point end there.
func recordPoint(p kernel.Vec2, low, high, at, met int32, ways []kernel.Vec2, distance []float32, hit []int32) {
	for k := low; k < high; k++ {
		if ways[k].Cross(p) == 0 {
			record(k, at, met, ways[k].Dot(p), distance, hit)
		}
	}
}

// recordSegment lets the beams from low to high-1, which the ends of a segment are on different sides of, end at it.
func recordSegment(from, a, e kernel.Vec2, low, high, at, met int32, ways []kernel.Vec2, distance []float32,
	hit []int32) {
	for k := low; k < high; k++ {
		r := Ray{From: from, Way: ways[k], Reach: 0, Hit: None}
		d := r.Way.Cross(e.Sub(from))
		if d != 0 { // else the beam ends at the point
			record(k, at, met, crossing(r, a, e, r.Way.Cross(a.Sub(from)), d), distance, hit)
		}
	}
}

// fanSegments lets the n beams of a fan end at the segments from to end-1 of a border.
func fanSegments(origin kernel.Vec2, n, from, end, at, met int32, l polyline.Line, ways []kernel.Vec2,
	index []kernel.Quat, distance []float32, hit []int32) {
	a := polyline.Plan(index[l.Base+from])
	s := sidesOf(a.Sub(origin), n, ways)
	for i := from; i < end; i++ {
		e := polyline.Plan(index[l.Base+i+1])
		p := e.Sub(origin)
		t := sidesOf(p, n, ways)
		if t.edge {
			recordPoint(p, 0, n, at, met, ways, distance, hit)
		} else if t.until < n {
			recordPoint(p, t.until-1, t.until+1, at, met, ways, distance, hit)
		}
		low := min(s.until, t.until)
		high := max(s.until, t.until)
		if s.left == t.left {
			recordSegment(origin, a, e, low, high, at, met, ways, distance, hit)
		} else {
			recordSegment(origin, a, e, 0, low, at, met, ways, distance, hit)
			recordSegment(origin, a, e, high, n, at, met, ways, distance, hit)
		}
		a = e
		s = t
	}
}

// isOutside reports whether a box is to the right of the first or to the left of the last beam of a fan, by more than
// slack. All numbers are twice what they are called, which saves halves.
func isOutside(from, first, last kernel.Vec2, box kernel.Quat, slack float32) bool {
	x := (box.X + box.Z) - float32(2*from.X)
	y := (box.Y + box.W) - float32(2*from.Y)
	width := box.Z - box.X
	height := box.W - box.Y
	right := float32(first.Y*x) - float32(first.X*y)
	left := float32(last.X*y) - float32(last.Y*x)
	return right > float32(kernel.Abs(first.X)*height)+float32(kernel.Abs(first.Y)*width)+float32(4*slack) ||
		left > float32(kernel.Abs(last.X)*height)+float32(kernel.Abs(last.Y)*width)+float32(4*slack)
}

// farthestOf returns the largest range of the n beams of a fan.
func farthestOf(n, at int32, distance []float32) float32 {
	far := distance[at]
	for k := int32(1); k < n; k++ {
		far = kernel.Max(far, distance[at+k])
	}
	return far
}

// fanBorder lets the n beams of a fan end at a border.
func fanBorder(from kernel.Vec2, n, at, met int32, l polyline.Line, ways []kernel.Vec2, index []kernel.Quat,
	distance []float32, hit []int32) {
	if l.N < leastPoints {
		return
	}
	slack := slackOf(from, l, index)
	reach := farthestOf(n, at, distance) + slack
	nodes := l.Nodes()
	for node := l.First(); node < nodes; {
		i := l.Node(node)
		box := index[i]
		second := index[i+1]
		if box.X > from.X+reach || box.Z < from.X-reach || box.Y > from.Y+reach || box.W < from.Y-reach ||
			isOutside(from, ways[0], ways[n-1], box, slack) {
			node = polyline.Skip(node, second)
			continue
		}
		if polyline.LeavesOf(second) == 1 {
			fanSegments(from, n, polyline.FirstLeaf(second)*polyline.LeafSegments, l.EndOf(second), at, met, l, ways, index,
				distance, hit)
			reach = farthestOf(n, at, distance) + slack
		}
		node++
	}
}

// fan lets the n beams of a fan end at both borders of an env. turn has the cosines and sines of their angles from
// element first on.
func fan(f vector.Frame, env, n, first, at, maxPoints int32, turn []kernel.Vec2, index []kernel.Quat,
	distance []float32, hit []int32) {
	var ways [Run]kernel.Vec2
	for k := int32(0); k < n; k++ {
		d := DirectionOf(f, turn[first+k])
		ways[k] = kernel.V2(d.X, d.Y)
	}
	from := kernel.V2(f.Origin.X, f.Origin.Y)
	for border := int32(borders.Inner); border <= borders.Outer; border++ {
		l := polyline.LineOf(env, border, borders.Lines, maxPoints, index)
		fanBorder(from, n, at, Inner+border-borders.Inner, l, ways[:], index, distance, hit)
	}
}

// fans has the results of walls, for level sensors whose runs are fans: see sides. It visits the tree once for all
// beams of a run, and finds for each point between which beams it is, instead of its side of every beam.
//
// One item is a run of beams of one agent. kernelgen cannot prove that runs have no element in common.
//
//kernel:thread
//kernel:unproven
//kernel:iterations fanIterations(maxPoints)
func fans(i, agents, beams, maxPoints int32, reach, placeX, placeY, placeZ float32, position []kernel.Vec3,
	orientation []kernel.Quat, turn []kernel.Vec2, index []kernel.Quat, distance []float32, hit []int32) {
	agent := i / runs(beams)
	first := i % runs(beams) * Run
	n := min(Run, beams-first)
	at := agent*beams + first
	f := SensorOf(position[agent], orientation[agent], Mount{Place: kernel.V3(placeX, placeY, placeZ), Body: 0})
	sees := f.Sees()
	begin := reach
	if !sees {
		begin = kernel.NaN()
	}
	for k := at; k < at+n; k++ {
		distance[k] = begin
		hit[k] = None
	}
	if sees {
		fan(f, agent/agents, n, first, at, maxPoints, turn, index, distance, hit)
	}
}
