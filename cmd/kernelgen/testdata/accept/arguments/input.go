package arguments

import "github.com/trackgen-go/trackgen/kernel"

// The launcher of a kernel with more than six parameters behind its index takes them as a struct. Its fields are
// exported, also where a parameter has no upper case or differs from another in the case alone.

// six has as many parameters as are taken one by one.
//
//kernel:thread
func six(i int32, active []int32, count, stride int32, width float32, inner, outer []float32) {
	inner[i] = width
	outer[i] = float32(count + stride + active[i])
}

// seven has one more.
//
//kernel:group
func seven(g kernel.Group, active, n []int32, N int32, _width float32, args []kernel.Vec2, inner, outer []kernel.Vec3) {
	for i := range g.Each(N) {
		outer[g.ID*N+i] = kernel.Vec3{X: _width, Y: float32(active[g.ID])}
		args[g.ID*N+i] = args[g.ID*N+i].Scale(inner[n[i]].X)
	}
}
