package parameter_types

import "github.com/trackgen-go/trackgen/kernel"

//kernel:thread
func all(i int32, a []int32, b []uint32, c []float32, d []kernel.Vec2, e []kernel.Vec3, f []kernel.Quat, s int32, u uint32, v float32) {
	a[i] = s
	b[i] = u
	c[i] = v
	d[i] = kernel.V2(v, v)
	e[i].Z = d[i].X
	f[i].W += v
}
