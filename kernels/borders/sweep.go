package borders

import (
	"github.com/trackgen-go/trackgen/kernel"
	"github.com/trackgen-go/trackgen/kernels/polyline"
)

// Motion is the motion of a box during a step: in a straight line, with the orientation at its end. A rotation during
// the step is not looked at.
type Motion struct {
	way   kernel.Vec2 // from the begin to the end
	local kernel.Vec2 // in the axes of the box
}

// MotionTo returns the motion of a box from a previous centre. If that has a NaN, the box has not moved.
func MotionTo(b Box, previous kernel.Vec2) Motion {
	way := b.Center.Sub(previous)
	if previous.X != previous.X || previous.Y != previous.Y {
		way = kernel.V2(0, 0)
	}
	return Motion{way: way, local: b.local(way)}
}

// Touch is the first contact of a moving box with a border.
type Touch struct {
	Time     float32 // part of the motion, from 0 to 1; NaN if there is no contact
	Boundary int32   // 0 inner, 1 outer, -1 none
}

// shortest is more than the length of a segment that counts as a point in a distance (C-70).
const shortest = 2e-6

// late is a time after the end of a motion.
const late = 2

// touches returns the first time at which a moving box meets a segment, whose ends are v and w in the axes of the box
// at the end of the motion, or late. Two convex shapes are apart if and only if they are apart along a normal of an
// edge of one of them; along each, they meet in an interval of times.
func touches(b Box, m Motion, v, w kernel.Vec2) float32 {
	v = v.Add(m.local)
	w = w.Add(m.local)
	s := met(span{low: 0, high: 1}, kernel.Min(v.X, w.X), kernel.Max(v.X, w.X), -m.local.X, b.reach.X,
		minParallel)
	s = met(s, kernel.Min(v.Y, w.Y), kernel.Max(v.Y, w.Y), -m.local.Y, b.reach.Y, minParallel)
	if s.low > s.high {
		return late
	}
	n := kernel.V2(v.Y-w.Y, w.X-v.X)
	size := kernel.V2(kernel.Abs(n.X), kernel.Abs(n.Y))
	place := v.Dot(n)
	s = met(s, place, place, -m.local.Dot(n), b.reach.Dot(size), float32(minParallel*(size.X+size.Y)))
	if s.low > s.high {
		return late
	}
	return s.low
}

// reaches returns a time that is not above that at which a moving box meets a segment of a node, or late. With an
// infinite slack, nothing is known of the numbers, which may be infinite or NaN.
func reaches(b Box, m Motion, node kernel.Quat, slack float32) float32 {
	if slack == kernel.Inf() {
		return 0
	}
	low := kernel.V2(b.low.X-m.way.X, b.low.Y-m.way.Y)
	high := kernel.V2(b.high.X-m.way.X, b.high.Y-m.way.Y)
	s := met(span{low: 0, high: 1}, node.X-high.X-slack, node.Z-low.X+slack, -m.way.X, 0, minParallel)
	s = met(s, node.Y-high.Y-slack, node.W-low.Y+slack, -m.way.Y, 0, minParallel)
	if s.low > s.high {
		return late
	}
	return s.low
}

// Sweep returns the first contact of a moving box, given its contact at the end of the motion. If that crosses a border
// though the motion is computed to touch none, the first contact is at the end.
func Sweep(b Box, m Motion, end Contact, env, maxPoints int32, index []kernel.Quat) Touch {
	t := Touch{Time: late, Boundary: -1}
	for boundary := int32(0); boundary < Lines; boundary++ {
		l := polyline.LineOf(env, boundary, Lines, maxPoints, index)
		if l.N >= 3 {
			if time := sweepBorder(b, m, t.Time, end.Clearance, l, index); time < t.Time {
				t = Touch{Time: time, Boundary: boundary}
			}
		}
	}
	return touchOf(t, m, end)
}

// touchOf returns the first contact of a motion, where t has the time late for none.
func touchOf(t Touch, m Motion, end Contact) Touch {
	if t.Time < late {
		return t
	}
	t = Touch{Time: kernel.NaN(), Boundary: -1}
	if end.Crossed != 0 {
		t = Touch{Time: 1, Boundary: end.Boundary}
		if m.way.X == 0 && m.way.Y == 0 {
			t.Time = 0
		}
	}
	return t
}

// motionSlack is slackOf for a box in motion.
func motionSlack(b Box, m Motion, extent float32) float32 {
	length := kernel.Abs(m.way.X) + kernel.Abs(m.way.Y)
	if !(length <= polyline.Limit) {
		return kernel.Inf()
	}
	return slackOf(b, extent) + float32(length*relativeSlack)
}

// sweepBorder returns the time of the first contact with a border, or any later time if that is not before one.
// clearance is the distance of the box from the borders at the end of the motion.
func sweepBorder(b Box, m Motion, time, clearance float32, l polyline.Line, index []kernel.Quat) float32 {
	slack := motionSlack(b, m, l.Extent(index))
	if clearance > m.way.Len()+slack+shortest && b.Half.X >= 0 && b.Half.Y >= 0 {
		return time
	}
	nodes := l.Nodes()
	for node := int32(0); node < nodes; {
		at := l.Node(node)
		second := index[at+1]
		if reaches(b, m, index[at], slack) >= time {
			node = polyline.Skip(node, second)
			continue
		}
		if polyline.LeavesOf(second) == 1 {
			time = sweepSegments(b, m, time, l, polyline.FirstLeaf(second)*polyline.LeafSegments, l.EndOf(second), index)
		}
		node++
	}
	return time
}

// sweepSegments returns the smaller of time and that of the first contact with the segments from to end-1.
func sweepSegments(b Box, m Motion, time float32, l polyline.Line, from, end int32, index []kernel.Quat) float32 {
	v := b.local(polyline.Plan(index[l.Base+from]).Sub(b.Center))
	for i := from; i < end; i++ {
		w := b.local(polyline.Plan(index[l.Base+i+1]).Sub(b.Center))
		time = kernel.Min(touches(b, m, v, w), time)
		v = w
	}
	return time
}

// SweepByScan is Sweep by a visit to every segment. It is the reference for tests and benchmarks.
func SweepByScan(b Box, m Motion, end Contact, env, maxPoints int32, index []kernel.Quat) Touch {
	t := Touch{Time: late, Boundary: -1}
	for boundary := int32(0); boundary < Lines; boundary++ {
		l := polyline.LineOf(env, boundary, Lines, maxPoints, index)
		if l.N >= 3 {
			if time := sweepSegments(b, m, t.Time, l, 0, l.N, index); time < t.Time {
				t = Touch{Time: time, Boundary: boundary}
			}
		}
	}
	return touchOf(t, m, end)
}
