package rangefinder

import (
	"github.com/trackgen-go/trackgen/kernel"
	"github.com/trackgen-go/trackgen/kernels/polyline"
	"github.com/trackgen-go/trackgen/kernels/vector"
)

// What a beam has hit.
const (
	None  = 0
	Inner = 1 // border
	Outer = 2 // border
	Agent = 3
	Post  = 4 // a disc, or the frame of a gate
)

// leastPoints is the number of points that a closed line has at least.
const leastPoints = 3

// Run is how many neighbouring beams an item has.
const Run = 16

const (
	relativeSlack = 1.0 / (1 << 18) // of coordinates, by which tests that pass over nodes are wider
	leastSlack    = 1e-11
	steepest      = 4               // ratio of the ways along and across a beam from which a crossing is computed twice
	touching      = 1.0 / (1 << 20) // of the ends of a segment along the beam: how far behind the sensor it is still hit
	level         = 1e-6            // part of a direction in plan view below which a beam is vertical
)

// Mount is where a sensor is on an agent: its place in the frame of the agent, and whether its beams are in the plane
// of the body (1), or level (0).
type Mount struct {
	Place kernel.Vec3
	Body  int32
}

// SensorOf returns the frame of the sensor of an agent (L-31).
func SensorOf(p kernel.Vec3, q kernel.Quat, m Mount) vector.Frame {
	f := vector.FrameOf(p, q, m.Body)
	f.Origin = f.Origin.Add(f.Forward.Scale(m.Place.X)).Add(f.Left.Scale(m.Place.Y)).Add(f.Up.Scale(m.Place.Z))
	return f
}

// DirectionOf returns the direction of a beam in the world, of which turn is the cosine and sine of its angle.
func DirectionOf(f vector.Frame, turn kernel.Vec2) kernel.Vec3 {
	return f.Forward.Scale(turn.X).Add(f.Left.Scale(turn.Y))
}

// Ray is a beam in plan view: its begin, its unit direction, and the nearest hit so far.
type Ray struct {
	From, Way kernel.Vec2
	Reach     float32 // distance of the hit, or the largest that is looked for
	Hit       int32
}

// crossing returns the distance along a ray at which it crosses the segment from a to e, which are on different sides
// of it; c and d are their cross products. It is negative or NaN if the crossing is behind the ray.
func crossing(r Ray, a, e kernel.Vec2, c, d float32) float32 {
	begin := a.Sub(r.From).Dot(r.Way)
	end := e.Sub(r.From).Dot(r.Way)
	part := c / (c - d)
	if kernel.Abs(end-begin) > float32(steepest*kernel.Abs(c-d)) {
		part = precise(r, a, e)
	}
	t := begin + float32(part*(end-begin))
	if t <= 0 && t >= -float32(touching*(kernel.Abs(begin)+kernel.Abs(end))) {
		return 0
	}
	return t
}

// sideOf returns the cross product of the direction of a ray and the way to a point, in twice the precision.
func sideOf(r Ray, p kernel.Vec2) kernel.TwoFloat {
	x := kernel.TwoSum(p.X, -r.From.X)
	y := kernel.TwoSum(p.Y, -r.From.Y)
	return y.Mul(r.Way.X).SubTwo(x.Mul(r.Way.Y))
}

// precise returns the part of the segment from a to e at which a ray crosses it, from 0 to 1.
func precise(r Ray, a, e kernel.Vec2) float32 {
	c := sideOf(r, a)
	return kernel.Clamp(c.Float32()/c.SubTwo(sideOf(r, e)).Float32(), 0, 1)
}

// nearer returns a ray after it has met an obstacle at the distance t. Of two at the same distance, the one of the
// smaller kind counts.
func nearer(r Ray, t float32, hit int32) Ray {
	if t >= 0 && (t < r.Reach || (t == r.Reach && hit < r.Hit)) {
		r.Reach = kernel.Abs(t) // a zero has no sign
		r.Hit = hit
	}
	return r
}

// meet returns a ray after the segment from a to e, and the point e; c and d are their cross products.
func meet(r Ray, a, e kernel.Vec2, c, d float32, hit int32) Ray {
	if d == 0 {
		return nearer(r, r.Way.Dot(e.Sub(r.From)), hit)
	}
	if (c >= 0) != (d >= 0) {
		return nearer(r, crossing(r, a, e, c, d), hit)
	}
	return r
}

// slackOf returns by how much tests that pass over the nodes of a line are wider, for rays from a point. It is infinite
// where nothing is known; then no node is passed over.
func slackOf(from kernel.Vec2, l polyline.Line, index []kernel.Quat) float32 {
	root := index[l.Node(0)]
	line := kernel.Max(kernel.Max(kernel.Abs(root.X), kernel.Abs(root.Z)),
		kernel.Max(kernel.Abs(root.Y), kernel.Abs(root.W)))
	size := kernel.Abs(from.X) + kernel.Abs(from.Y) + line
	if !(size <= polyline.Limit) {
		return kernel.Inf()
	}
	return float32(size*relativeSlack) + leastSlack
}

// bounds are those of the part of a ray up to its reach, wider by a slack.
type bounds struct{ low, high kernel.Vec2 }

func boundsOf(r Ray, slack float32) bounds {
	end := r.From.Add(r.Way.Scale(r.Reach))
	return bounds{
		low:  kernel.V2(kernel.Min(r.From.X, end.X)-slack, kernel.Min(r.From.Y, end.Y)-slack),
		high: kernel.V2(kernel.Max(r.From.X, end.X)+slack, kernel.Max(r.From.Y, end.Y)+slack)}
}

// isAside reports whether a box is on one side of the line along a ray, and farther than slack from it. All numbers are
// twice what they are called, which saves halves.
func isAside(r Ray, box kernel.Quat, slack float32) bool {
	x := (box.X + box.Z) - float32(2*r.From.X)
	y := (box.Y + box.W) - float32(2*r.From.Y)
	reach := float32(kernel.Abs(r.Way.X)*(box.W-box.Y)) + float32(kernel.Abs(r.Way.Y)*(box.Z-box.X))
	return kernel.Abs(float32(r.Way.X*y)-float32(r.Way.Y*x)) > reach+float32(4*slack)
}

// alongSegments returns a ray after the segments from to end-1 of a border, and the points at their ends.
func alongSegments(r Ray, hit, from, end int32, l polyline.Line, index []kernel.Quat) Ray {
	a := polyline.Plan(index[l.Base+from])
	c := r.Way.Cross(a.Sub(r.From))
	for i := from; i < end; i++ {
		e := polyline.Plan(index[l.Base+i+1])
		d := r.Way.Cross(e.Sub(r.From))
		r = meet(r, a, e, c, d, hit)
		a = e
		c = d
	}
	return r
}

// AlongBorder returns a ray after a border (L-32).
func AlongBorder(r Ray, hit int32, l polyline.Line, index []kernel.Quat) Ray {
	if l.N < leastPoints {
		return r
	}
	slack := slackOf(r.From, l, index)
	b := boundsOf(r, slack)
	nodes := l.Nodes()
	for node := l.First(); node < nodes; {
		at := l.Node(node)
		first := index[at]
		second := index[at+1]
		if first.X > b.high.X || first.Z < b.low.X || first.Y > b.high.Y || first.W < b.low.Y ||
			isAside(r, first, slack) {
			node = polyline.Skip(node, second)
			continue
		}
		if polyline.LeavesOf(second) == 1 {
			reach := r.Reach
			r = alongSegments(r, hit, polyline.FirstLeaf(second)*polyline.LeafSegments, l.EndOf(second), l, index)
			if r.Reach < reach {
				b = boundsOf(r, slack)
			}
		}
		node++
	}
	return r
}
