package obstacle

import "github.com/trackgen-go/trackgen/kernel"

// Never is a time after the end of every motion. The motion of a step goes on from time 0 to time 1.
const Never = 2

// span is a part of a motion. It is empty if low is above high.
type span struct{ low, high float32 }

// within returns the part of a span during which a coordinate that changes evenly from one value to another is from
// -reach to reach.
func within(s span, from, to, reach float32) span {
	d := to - from
	if d == 0 {
		if kernel.Abs(from) <= reach {
			return s
		}
		return span{low: 1, high: 0}
	}
	a := (-reach - from) / d
	b := (reach - from) / d
	return span{low: most(s.low, least(a, b)), high: least(s.high, most(a, b))}
}

// rectangleTime returns when a moving point is first in the rectangle with the given half extents, or Never.
func rectangleTime(from, to, half kernel.Vec2) float32 {
	s := within(within(span{low: 0, high: 1}, from.X, to.X, half.X), from.Y, to.Y, half.Y)
	if s.low <= s.high {
		return s.low
	}
	return Never
}

// circleTime returns when a moving point first enters a circle about middle, or Never. The distance of the way from the
// middle is a cross product, because a difference of squares would lose the digits of circles far away.
func circleTime(from, to, middle kernel.Vec2, radius float32) float32 {
	begin := from.Sub(middle)
	way := to.Sub(from)
	length := way.Len()
	if !(length > 0) {
		return Never
	}
	along := kernel.V2(way.X/length, way.Y/length)
	aside := begin.Cross(along)
	chord := float32((radius - aside) * (radius + aside))
	if !(chord >= 0) {
		return Never
	}
	t := (-begin.Dot(along) - kernel.Sqrt(chord)) / length
	if t >= 0 && t <= 1 {
		return t
	}
	return Never
}

// ballTime returns when a ball of the given radius, whose middle moves straight between two points in box coordinates,
// first touches the box: 0 to 1, or Never. The middle then enters the box with rounded corners, which is the union of
// two rectangles and four circles.
func (b Box) ballTime(from, to kernel.Vec2, radius float32) float32 {
	if b.Distance(from) <= radius {
		return 0
	}
	x := b.Half.X
	y := b.Half.Y
	t := least(rectangleTime(from, to, kernel.V2(x+radius, y)), rectangleTime(from, to, kernel.V2(x, y+radius)))
	t = least(t, circleTime(from, to, kernel.V2(x, y), radius))
	t = least(t, circleTime(from, to, kernel.V2(-x, y), radius))
	t = least(t, circleTime(from, to, kernel.V2(-x, -y), radius))
	t = least(t, circleTime(from, to, kernel.V2(x, -y), radius))
	if t > 1 && b.Distance(to) <= radius {
		return 1 // rounding has moved the contact beyond the end
	}
	return t
}
