// Package vector has functions of numbers, vectors and quaternions that several packages of kernels share. It holds no
// kernel.
package vector

import "github.com/trackgen-go/trackgen/kernel"

// OneNaN returns x with kernel.NaN in place of any NaN. The bits of a NaN that was computed depend on the device, so an
// output must not have them.
func OneNaN(x float32) float32 {
	if kernel.IsNaN(x) {
		return kernel.NaN()
	}
	return x
}

// OneNaN3 returns OneNaN of each coordinate.
func OneNaN3(p kernel.Vec3) kernel.Vec3 { return kernel.V3(OneNaN(p.X), OneNaN(p.Y), OneNaN(p.Z)) }

// HasNaN reports whether a coordinate of p is NaN. A position with a NaN pauses an agent or a box.
func HasNaN(p kernel.Vec3) bool { return kernel.IsNaN(p.X) || kernel.IsNaN(p.Y) || kernel.IsNaN(p.Z) }

// Smaller returns the smaller number; of a number and a NaN, the number (C-2).
func Smaller(a, b float32) float32 {
	if a < b || kernel.IsNaN(b) {
		return a
	}
	return b
}

// Larger returns the larger number; of a number and a NaN, the number (C-2).
func Larger(a, b float32) float32 {
	if a > b || kernel.IsNaN(b) {
		return a
	}
	return b
}

// Heading returns the cosine and the sine of the yaw of an orientation (C-5, C-70), which is a unit quaternion: 1 and 0
// where the yaw is not defined.
func Heading(q kernel.Quat) kernel.Vec2 {
	v := kernel.V2(1-float32(2*(float32(q.Y*q.Y)+float32(q.Z*q.Z))), float32(2*(float32(q.W*q.Z)+float32(q.X*q.Y))))
	size := kernel.Max(kernel.Abs(v.X), kernel.Abs(v.Y))
	if size == 0 {
		return kernel.V2(1, 0)
	}
	v = kernel.V2(v.X/size, v.Y/size) // so that the length does not overflow
	length := v.Len()
	return kernel.V2(v.X/length, v.Y/length)
}
