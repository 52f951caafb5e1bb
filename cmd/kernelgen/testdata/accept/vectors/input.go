package vectors

import "github.com/trackgen-go/trackgen/kernel"

//kernel:thread
func vectors(i int32, a, b []kernel.Vec3, flat []kernel.Vec2, q []kernel.Quat, length []float32) {
	c := a[i].Cross(b[i])
	length[i] = c.Len()
	b[i].Z = c.Dot(a[i])
	flat[i] = kernel.V2(c.X, c.Y).Scale(0.5)
	q[i] = kernel.Quat{W: length[i], Y: -c.Z}
	a[i] = kernel.V3(q[i].X, 0, q[i].W)
}
