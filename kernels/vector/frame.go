package vector

import "github.com/trackgen-go/trackgen/kernel"

// farthest is the largest magnitude of a coordinate of an agent that observes. With it, all numbers are finite.
const farthest = 1e30

// Frame is that of an agent: its origin, and its axes in the world (L-21). Level is its heading in plan view.
type Frame struct {
	Origin            kernel.Vec3
	Forward, Left, Up kernel.Vec3
	Level             kernel.Vec2
}

// FrameOf returns the frame of an agent: with body 1, its axes are those of the body; else it is upright, and only the
// yaw counts.
func FrameOf(p kernel.Vec3, q kernel.Quat, body int32) Frame {
	level := Heading(q)
	f := Frame{Origin: p, Forward: kernel.V3(level.X, level.Y, 0), Left: kernel.V3(-level.Y, level.X, 0),
		Up: kernel.V3(0, 0, 1), Level: level}
	if body == 1 {
		size := kernel.Sqrt((float32(q.X*q.X) + float32(q.Y*q.Y)) + (float32(q.Z*q.Z) + float32(q.W*q.W)))
		x := q.X / size
		y := q.Y / size
		z := q.Z / size
		w := q.W / size
		f.Forward = kernel.V3(1-float32(2*(float32(y*y)+float32(z*z))), float32(2*(float32(x*y)+float32(w*z))),
			float32(2*(float32(x*z)-float32(w*y))))
		f.Left = kernel.V3(float32(2*(float32(x*y)-float32(w*z))), 1-float32(2*(float32(x*x)+float32(z*z))),
			float32(2*(float32(y*z)+float32(w*x))))
		f.Up = kernel.V3(float32(2*(float32(x*z)+float32(w*y))), float32(2*(float32(y*z)-float32(w*x))),
			1-float32(2*(float32(x*x)+float32(y*y))))
	}
	return f
}

// Sees reports whether an agent at p observes: no coordinate is NaN or too far away, and the frame is one of numbers. A
// quaternion of zeros, or one whose squares overflow, has no body frame.
func (f Frame) Sees() bool {
	o := f.Origin
	return kernel.Abs(o.X) <= farthest && kernel.Abs(o.Y) <= farthest && kernel.Abs(o.Z) <= farthest &&
		kernel.IsFinite(((f.Forward.X+f.Forward.Y)+(f.Forward.Z+f.Left.X))+((f.Left.Y+f.Left.Z)+(f.Up.X+f.Up.Y))) &&
		kernel.IsFinite(f.Up.Z+(f.Level.X+f.Level.Y))
}

// Along returns a vector of the world along three axes.
func Along(v, forward, left, up kernel.Vec3) kernel.Vec3 {
	return kernel.V3(v.Dot(forward), v.Dot(left), v.Dot(up))
}
