package preview

import (
	"github.com/trackgen-go/trackgen/kernel"
	"github.com/trackgen-go/trackgen/kernels/vector"
)

// farthest is the largest magnitude of a coordinate of an agent that observes. With it, all numbers are finite.
const farthest = 1e30

// frame is that of an agent: its origin, and its axes in the world (L-21). level is its heading in plan view.
type frame struct {
	origin            kernel.Vec3
	forward, left, up kernel.Vec3
	level             kernel.Vec2
}

// frameOf returns the frame of an agent: with body 1, its axes are those of the body; else it is upright, and only the
// yaw counts.
func frameOf(p kernel.Vec3, q kernel.Quat, body int32) frame {
	level := vector.Heading(q)
	f := frame{origin: p, forward: kernel.V3(level.X, level.Y, 0), left: kernel.V3(-level.Y, level.X, 0),
		up: kernel.V3(0, 0, 1), level: level}
	if body == 1 {
		size := kernel.Sqrt((float32(q.X*q.X) + float32(q.Y*q.Y)) + (float32(q.Z*q.Z) + float32(q.W*q.W)))
		x := q.X / size
		y := q.Y / size
		z := q.Z / size
		w := q.W / size
		f.forward = kernel.V3(1-float32(2*(float32(y*y)+float32(z*z))), float32(2*(float32(x*y)+float32(w*z))),
			float32(2*(float32(x*z)-float32(w*y))))
		f.left = kernel.V3(float32(2*(float32(x*y)-float32(w*z))), 1-float32(2*(float32(x*x)+float32(z*z))),
			float32(2*(float32(y*z)+float32(w*x))))
		f.up = kernel.V3(float32(2*(float32(x*z)+float32(w*y))), float32(2*(float32(y*z)-float32(w*x))),
			1-float32(2*(float32(x*x)+float32(y*y))))
	}
	return f
}

// sees reports whether an agent at p observes: no coordinate is NaN or too far away, and the frame is one of numbers. A
// quaternion of zeros, or one whose squares overflow, has no body frame.
func (f frame) sees() bool {
	o := f.origin
	return kernel.Abs(o.X) <= farthest && kernel.Abs(o.Y) <= farthest && kernel.Abs(o.Z) <= farthest &&
		kernel.IsFinite(((f.forward.X+f.forward.Y)+(f.forward.Z+f.left.X))+((f.left.Y+f.left.Z)+(f.up.X+f.up.Y))) &&
		kernel.IsFinite(f.up.Z+(f.level.X+f.level.Y))
}

// turned returns a vector of the world along three axes.
func turned(v, forward, left, up kernel.Vec3) kernel.Vec3 {
	return kernel.V3(v.Dot(forward), v.Dot(left), v.Dot(up))
}
