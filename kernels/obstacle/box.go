package obstacle

import (
	"github.com/trackgen-go/trackgen/kernel"
	"github.com/trackgen-go/trackgen/kernels/vector"
)

// Box is a rectangle in plan view: its middle, its half extents, and the cosine and sine of its yaw (C-70). Box
// coordinates have their origin in the middle, x along the box and y to its left.
type Box struct {
	Middle, Half kernel.Vec2
	Cos, Sin     float32
}

// BoxOf returns the box at a position. Only the yaw of the orientation counts, which is a unit quaternion.
func BoxOf(position kernel.Vec3, orientation kernel.Quat, half kernel.Vec2) Box {
	turn := vector.Heading(orientation)
	return Box{Middle: planOf(position), Half: half, Cos: turn.X, Sin: turn.Y}
}

// hasHeading reports whether the heading of a box is a number.
func (b Box) hasHeading() bool { return !kernel.IsNaN(b.Cos) && !kernel.IsNaN(b.Sin) }

// Local returns a vector of the world in box coordinates.
func (b Box) Local(v kernel.Vec2) kernel.Vec2 {
	return kernel.V2(float32(b.Cos*v.X)+float32(b.Sin*v.Y), float32(b.Cos*v.Y)-float32(b.Sin*v.X))
}

// World returns a vector of box coordinates in those of the world.
func (b Box) World(v kernel.Vec2) kernel.Vec2 {
	return kernel.V2(float32(b.Cos*v.X)-float32(b.Sin*v.Y), float32(b.Sin*v.X)+float32(b.Cos*v.Y))
}

// Distance returns the distance of a point, in box coordinates, from the box: 0 inside (C-70).
func (b Box) Distance(v kernel.Vec2) float32 {
	return kernel.V2(kernel.Max(kernel.Abs(v.X)-b.Half.X, 0), kernel.Max(kernel.Abs(v.Y)-b.Half.Y, 0)).Len()
}

// Nearest returns the point of the box that is nearest to a point, both in box coordinates.
func (b Box) Nearest(v kernel.Vec2) kernel.Vec2 {
	return kernel.V2(between(v.X, -b.Half.X, b.Half.X), between(v.Y, -b.Half.Y, b.Half.Y))
}

// Corner returns corner k of the box in the world, from 0 to 3 (C-70).
func (b Box) Corner(k int32) kernel.Vec2 {
	x := b.Half.X
	y := b.Half.Y
	if k == 1 || k == 2 {
		x = -x
	}
	if k >= 2 {
		y = -y
	}
	return kernel.V2((b.Middle.X+float32(b.Cos*x))-float32(b.Sin*y), (b.Middle.Y+float32(b.Sin*x))+float32(b.Cos*y))
}
