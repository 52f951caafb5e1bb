package raceline

import "github.com/trackgen-go/trackgen/kernel"

// Blocks of the linear systems are 2 by 2: a Quat has the rows X, Y and Z, W, or of a symmetric one the elements X, Y
// and Z of its lower triangle. kernel.Quat is here no rotation: it is the element of arrays with four numbers.

// four returns four numbers.
func four(x, y, z, w float32) kernel.Quat { return kernel.Quat{X: x, Y: y, Z: z, W: w} }

// times returns the product of a block and a vector.
func times(m kernel.Quat, v kernel.Vec2) kernel.Vec2 {
	return kernel.V2(float32(m.X*v.X)+float32(m.Y*v.Y), float32(m.Z*v.X)+float32(m.W*v.Y))
}

// transposed returns a block with its rows as columns.
func transposed(m kernel.Quat) kernel.Quat { return four(m.X, m.Z, m.Y, m.W) }

// product returns the product of two blocks.
func product(a, b kernel.Quat) kernel.Quat {
	return four(
		float32(a.X*b.X)+float32(a.Y*b.Z), float32(a.X*b.Y)+float32(a.Y*b.W),
		float32(a.Z*b.X)+float32(a.W*b.Z), float32(a.Z*b.Y)+float32(a.W*b.W))
}

// full returns a symmetric block with all its elements.
func full(s kernel.Quat) kernel.Quat { return four(s.X, s.Y, s.Y, s.Z) }

// inverse returns the inverse of a symmetric block. Those of the systems have a negative determinant.
func inverse(s kernel.Quat) kernel.Quat {
	determinant := float32(s.X*s.Z) - float32(s.Y*s.Y)
	return four(s.Z/determinant, -s.Y/determinant, s.X/determinant, 0)
}

// less returns a symmetric block less the product of two blocks that is symmetric.
func less(s, p kernel.Quat) kernel.Quat { return four(s.X-p.X, s.Y-p.Y, s.Z-p.W, s.W) }
