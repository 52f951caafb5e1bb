package centerline

import "github.com/trackgen-go/trackgen/kernel"

// Cubic returns the Bezier curve with the control points p0..p3 at u.
func Cubic(p0, p1, p2, p3 kernel.Vec2, u float32) kernel.Vec2 {
	v := 1 - u
	b0 := float32(float32(v*v) * v)
	b1 := float32(float32(3*float32(v*v)) * u)
	b2 := float32(float32(3*v) * float32(u*u))
	b3 := float32(float32(u*u) * u)
	return kernel.V2(
		float32(b0*p0.X)+float32(b1*p1.X)+float32(b2*p2.X)+float32(b3*p3.X),
		float32(b0*p0.Y)+float32(b1*p1.Y)+float32(b2*p2.Y)+float32(b3*p3.Y))
}

// CatmullRom returns the uniform Catmull-Rom curve with tension one half between p1 and p2 at u.
func CatmullRom(p0, p1, p2, p3 kernel.Vec2, u float32) kernel.Vec2 {
	return kernel.V2(catmullRom1(p0.X, p1.X, p2.X, p3.X, u), catmullRom1(p0.Y, p1.Y, p2.Y, p3.Y, u))
}

// catmullRom1 is CatmullRom in one dimension.
func catmullRom1(p0, p1, p2, p3, u float32) float32 {
	u2 := float32(u * u)
	u3 := float32(u2 * u)
	linear := float32((p2 - p0) * u)
	square := float32((float32(2*p0) - float32(5*p1) + float32(4*p2) - p3) * u2)
	cube := float32((float32(3*p1) - p0 - float32(3*p2) + p3) * u3)
	return float32(0.5 * (float32(2*p1) + linear + square + cube))
}
