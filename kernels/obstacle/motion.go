package obstacle

import (
	"github.com/trackgen-go/trackgen/kernel"
	"github.com/trackgen-go/trackgen/kernels/vector"
)

// Never is a time after the end of every motion. The motion of a step goes on from time 0 to time 1.
const Never = 2

// Standing is the length of a motion up to which it is none. The inverse of a longer one is finite.
const Standing = 1e-20

// Span is a part of a motion. It is empty if Low is above High.
type Span struct{ Low, High float32 }

// within returns the part of a span during which a coordinate that changes evenly from one value to another is from
// -reach to reach.
func within(s Span, from, to, reach float32) Span {
	d := to - from
	if kernel.Abs(d) < Standing {
		if kernel.Abs(from) <= reach {
			return s
		}
		return Span{Low: 1, High: 0}
	}
	inverse := 1 / d // a second division would make the shaders larger
	a := float32((-reach - from) * inverse)
	b := float32((reach - from) * inverse)
	return Span{Low: vector.Larger(s.Low, vector.Smaller(a, b)), High: vector.Smaller(s.High, vector.Larger(a, b))}
}

// rectangleTime returns when a moving point is first in the rectangle with the given half extents, or Never.
func rectangleTime(from, to, half kernel.Vec2) float32 {
	s := Span{Low: 0, High: 1}
	for k := int32(0); k < 2; k++ {
		a := kernel.V2(from.X, to.X)
		reach := half.X
		if k == 1 {
			a = kernel.V2(from.Y, to.Y)
			reach = half.Y
		}
		s = within(s, a.X, a.Y, reach)
	}
	if s.Low <= s.High {
		return s.Low
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
// two rectangles and four circles. Loops keep the shaders small.
func (b Box) ballTime(from, to kernel.Vec2, radius float32) float32 {
	if b.Distance(from) <= radius {
		return 0
	}
	t := float32(Never)
	for k := int32(0); k < 2; k++ {
		half := kernel.V2(b.Half.X+radius, b.Half.Y)
		if k == 1 {
			half = kernel.V2(b.Half.X, b.Half.Y+radius)
		}
		t = vector.Smaller(t, rectangleTime(from, to, half))
	}
	for k := int32(0); k < 4; k++ {
		corner := b.Half
		if k&1 == 1 {
			corner.X = -corner.X
		}
		if k >= 2 {
			corner.Y = -corner.Y
		}
		t = vector.Smaller(t, circleTime(from, to, corner, radius))
	}
	if t > 1 && b.Distance(to) <= radius {
		return 1 // rounding has moved the contact beyond the end
	}
	return t
}
