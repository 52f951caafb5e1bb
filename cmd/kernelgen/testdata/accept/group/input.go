package group

import "github.com/trackgen-go/trackgen/kernel"

// smooth moves each point to the mean of its neighbours.
//
//kernel:group lanes=64
func smooth(g kernel.Group, count []int32, x []kernel.Vec2, n int32, f float32, u uint32) {
	var p [512]kernel.Vec2
	m := count[g.ID]
	for i := range g.Each(m) {
		p[i] = x[g.ID*n+i]
	}
	for i := range g.Each(m) {
		put(x, g.ID*n+i, p[i].Add(p[(i+1)%m]).Scale(f))
	}
}

func put(x []kernel.Vec2, i int32, v kernel.Vec2) { x[i] = v }

//kernel:thread
func set(i int32, args []float32, first int32) { args[i] = float32(first) }
