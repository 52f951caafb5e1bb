package borders

import (
	"github.com/trackgen-go/trackgen/kernel"
	"github.com/trackgen-go/trackgen/kernels/vector"
)

// Box is an oriented box in plan view (C-70).
type Box struct {
	Center kernel.Vec2
	Half   kernel.Vec2 // extents as given, which may be negative or no number

	cos, sin float32 // of the yaw
	corners  Corners

	// Bounds of the corners and magnitudes of the half extents, for tests that pass over segments.
	low, high, reach kernel.Vec2
}

// Corners are the corners of a box.
type Corners struct{ c0, c1, c2, c3 kernel.Vec2 }

// BoxOf returns the box at a position, with the yaw of an orientation.
func BoxOf(position kernel.Vec3, orientation kernel.Quat, half kernel.Vec2) Box {
	turn := vector.Heading(orientation)
	cos := turn.X
	sin := turn.Y
	b := Box{Center: kernel.V2(position.X, position.Y), Half: half, cos: cos, sin: sin}
	right := b.Center.Add(kernel.V2(float32(cos*half.X), float32(sin*half.X)))
	left := b.Center.Add(kernel.V2(float32(cos*-half.X), float32(sin*-half.X)))
	up := kernel.V2(float32(-sin*half.Y), float32(cos*half.Y))
	down := kernel.V2(float32(-sin*-half.Y), float32(cos*-half.Y))
	c := Corners{c0: right.Add(up), c1: left.Add(up), c2: left.Add(down), c3: right.Add(down)}
	b.corners = c
	b.low = lowest(lowest(c.c0, c.c1), lowest(c.c2, c.c3))
	b.high = highest(highest(c.c0, c.c1), highest(c.c2, c.c3))
	b.reach = kernel.V2(kernel.Abs(half.X), kernel.Abs(half.Y))
	return b
}

// local turns a vector from the axes of the track to those of the box.
func (b Box) local(v kernel.Vec2) kernel.Vec2 {
	return kernel.V2(float32(b.cos*v.X)+float32(b.sin*v.Y), float32(b.cos*v.Y)-float32(b.sin*v.X))
}

// corner returns corner k, from 0 to 3. It has the operations of BoxOf, with signs instead of a choice, which would be
// a jump.
func (b Box) corner(k int32) kernel.Vec2 {
	back := uint32(k^k>>1) & 1 << 31
	down := uint32(k) >> 1 << 31
	p := b.Center.Add(kernel.V2(signed(float32(b.cos*b.Half.X), back), signed(float32(b.sin*b.Half.X), back)))
	return p.Add(kernel.V2(signed(float32(-b.sin*b.Half.Y), down), signed(float32(b.cos*b.Half.Y), down)))
}

// signed returns x with another sign if sign is the sign bit, and x if it is 0.
func signed(x float32, sign uint32) float32 {
	return kernel.Float32FromBits(kernel.Float32Bits(x) ^ sign)
}

// distance returns the distance of a point, given in the axes of the box from its centre, from the box.
func (b Box) distance(v kernel.Vec2) float32 {
	return kernel.V2(vector.Larger(kernel.Abs(v.X)-b.Half.X, 0), vector.Larger(kernel.Abs(v.Y)-b.Half.Y, 0)).Len()
}

func lowest(a, b kernel.Vec2) kernel.Vec2 {
	return kernel.V2(kernel.Min(a.X, b.X), kernel.Min(a.Y, b.Y))
}

func highest(a, b kernel.Vec2) kernel.Vec2 {
	return kernel.V2(kernel.Max(a.X, b.X), kernel.Max(a.Y, b.Y))
}
