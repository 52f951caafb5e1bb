package borders

import (
	"github.com/trackgen-go/trackgen/kernel"
	"github.com/trackgen-go/trackgen/kernels/polyline"
	"github.com/trackgen-go/trackgen/kernels/vector"
)

const (
	minSquared  = 1e-12 // a segment with a smaller squared length is a point (C-70)
	minParallel = 1e-12 // a segment that moves less along an axis of the box is parallel to the other axis

	farBits = 0x7149f2ca // of polyline.Far
)

// course is a segment as the search for its nearest point needs it: its begin, the way to its end, and the squared
// length of that.
type course struct {
	from, way kernel.Vec2
	squared   float32
}

func courseOf(a, e kernel.Vec2) course {
	d := e.Sub(a)
	return course{from: a, way: d, squared: d.Dot(d)}
}

// near returns the point of a segment that is nearest to p (C-70).
func near(p kernel.Vec2, c course) kernel.Vec2 {
	t := float32(0)
	if c.squared > minSquared {
		t = kernel.Min(1, kernel.Max(p.Sub(c.from).Dot(c.way)/c.squared, 0))
	}
	return kernel.V2(c.from.X+float32(c.way.X*t), c.from.Y+float32(c.way.Y*t))
}

func squaredBetween(p, q kernel.Vec2) float32 {
	d := p.Sub(q)
	return d.Dot(d)
}

// parts reports whether a height is between two others: one is above it, and the other one is not.
func parts(height, y, z float32) bool { return (y > height) != (z > height) }

// ray reports whether a ray from p in the direction of x crosses the segment from a to e (C-70).
func ray(p, a, e kernel.Vec2) bool {
	return parts(p.Y, a.Y, e.Y) && p.X < a.X+float32((p.Y-a.Y)*(e.X-a.X))/(e.Y-a.Y)
}

// rays returns a bit for each corner of a box from which the ray crosses the segment from a to e, as ray tells it. The
// crossing is computed also where a corner is not between the heights of the ends, and may be no number there. So there
// is no jump, which a processor often cannot foresee.
func rays(c Corners, a, e kernel.Vec2) int32 {
	d := e.Sub(a)
	bits := int32(0)
	if isLeftOf(c.c0, a, d) {
		bits = 1
	}
	with := bits | 2
	if isLeftOf(c.c1, a, d) {
		bits = with
	}
	with = bits | 4
	if isLeftOf(c.c2, a, d) {
		bits = with
	}
	with = bits | 8
	if isLeftOf(c.c3, a, d) {
		bits = with
	}
	return bits & (below(c, a.Y) ^ below(c, e.Y))
}

// isLeftOf reports whether p is to the left of the line from a in the direction of d, where that is not level.
func isLeftOf(p, a, d kernel.Vec2) bool { return p.X < a.X+float32((p.Y-a.Y)*d.X)/d.Y }

// span is a part of a segment, or of a motion, as parts of the way from its begin to its end. It is empty if low is
// above high.
type span struct{ low, high float32 }

// met returns the part of a span in which an interval from low to high, which moves by d, meets that from -h to h
// (C-70). If it moves by less than still, it stands where it begins.
func met(s span, low, high, d, h, still float32) span {
	if kernel.Abs(d) < still {
		if low > h || high < -h {
			s = span{low: 1, high: 0}
		}
		return s
	}
	t := (h - low) / d
	u := (-h - high) / d
	return span{low: vector.Larger(s.low, vector.Smaller(t, u)), high: vector.Smaller(s.high, vector.Larger(t, u))}
}

// hits reports whether the segment from a to e, in the axes of a box from its centre, has a part in the box (slab of
// C-70).
func hits(b Box, a, e kernel.Vec2) bool {
	s := met(span{low: 0, high: 1}, a.X, a.X, e.X-a.X, b.Half.X, minParallel)
	if s.low > s.high {
		return false
	}
	s = met(s, a.Y, a.Y, e.Y-a.Y, b.Half.Y, minParallel)
	return !(s.low > s.high)
}

// nearest is the nearest segment so far: the first in the order of the scan among those that are equally near.
type nearest struct {
	distance float32 // polyline.Far before the first
	point    kernel.Vec2
	place    int32 // in the order of the scan, -1 before the first: that of segment i is boundary*maxPoints+i
	crossed  bool  // the box is on a segment
}

// none returns a nearest before the first segment.
func none() nearest {
	return nearest{distance: polyline.Far, point: kernel.V2(kernel.NaN(), kernel.NaN()), place: -1, crossed: false}
}

// squaredTo returns the squared distance of p from a segment: that from the point of near, without a call.
func squaredTo(p kernel.Vec2, c course) float32 {
	x := p.X - c.from.X
	y := p.Y - c.from.Y
	t := float32(0)
	if c.squared > minSquared {
		t = kernel.Min(1, kernel.Max((float32(x*c.way.X)+float32(y*c.way.Y))/c.squared, 0))
	}
	x = p.X - (c.from.X + float32(c.way.X*t))
	y = p.Y - (c.from.Y + float32(c.way.Y*t))
	return float32(x*x) + float32(y*y)
}

// closest is the nearest corner of a box: its distance, polyline.Far without one, and its number.
type closest struct {
	distance float32
	corner   int32
}

// rootBits returns the bits of the root of a squared distance that is below limit, else those of polyline.Far. A root
// is taken also where it is not needed: so there is no jump.
func rootBits(squared, limit float32) int32 {
	bits := int32(kernel.Float32Bits(kernel.Sqrt(squared)))
	if !(squared < limit) {
		bits = farBits
	}
	return bits
}

// closestOf returns the first of the corners with the least distance. The distances are given as bits: those of numbers
// that are not negative have the order of the numbers, and integers are compared and chosen faster.
func closestOf(d0, d1, d2, d3 int32) closest {
	least := min(min(d0, d1), min(d2, d3))
	corner := int32(3)
	if d2 == least {
		corner = 2
	}
	if d1 == least {
		corner = 1
	}
	if d0 == least {
		corner = 0
	}
	return closest{distance: kernel.Float32FromBits(uint32(least)), corner: corner}
}

// segment is a segment of a border at a place in the order of the scan, from a. v and w are its ends in the axes of a
// box, from its centre.
type segment struct {
	place   int32
	a, v, w kernel.Vec2
}

// take returns the nearer of best and a segment (C-71). It may miss a segment with a distance whose square is limit, or
// more, and one that crosses the box unless mayCross says so.
func take(best nearest, b Box, s segment, c course, limit float32, mayCross bool) nearest {
	if mayCross && hits(b, s.v, s.w) {
		if best.distance > 0 || s.place < best.place {
			best = nearest{distance: 0, point: near(b.Center, c), place: s.place, crossed: true}
		}
		best.crossed = true
		return best
	}
	n := closestOf(rootBits(squaredTo(b.corners.c0, c), limit), rootBits(squaredTo(b.corners.c1, c), limit),
		rootBits(squaredTo(b.corners.c2, c), limit), rootBits(squaredTo(b.corners.c3, c), limit))
	vertex := b.distance(s.v)
	distance := kernel.Min(vertex, n.distance)
	if distance < polyline.Far && (distance < best.distance || (distance == best.distance && s.place < best.place)) {
		best.distance = distance
		best.place = s.place
		best.point = s.a
		if !(vertex < n.distance) {
			best.point = near(b.corner(n.corner), c)
		}
	}
	return best
}
