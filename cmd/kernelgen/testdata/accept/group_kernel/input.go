package group_kernel

import "github.com/trackgen-go/trackgen/kernel"

// smooth moves each point to the mean of its neighbours.
//
//kernel:group lanes=64
func smooth(g kernel.Group, count []int32, x []kernel.Vec2, n int32, weight float32, seed uint32) {
	var p [512]kernel.Vec2
	m := count[g.ID]
	if m < 3 || seed == 0 {
		return
	}
	for i := range g.Each(m) {
		p[i] = x[g.ID*n+i]
	}
	for i := range g.Each(m) {
		x[g.ID*n+i] = p[i].Add(p[(i+1)%m]).Scale(weight)
	}
}
