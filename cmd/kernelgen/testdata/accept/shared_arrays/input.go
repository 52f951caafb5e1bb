package shared_arrays

import "github.com/trackgen-go/trackgen/kernel"

type node struct {
	at   kernel.Vec2
	next int32
	live bool
}

// Shared arrays are zero at the start.
//
//kernel:group lanes=64
func shared(g kernel.Group, x []kernel.Vec2, out []kernel.Vec2) {
	var wide [2][100]float32
	var tall [100][2]int32
	var nodes [50]node
	n := g.ID + 1
	var late [50]uint32
	for i := range g.Each(50) {
		nodes[i] = node{at: x[i], next: i + n}
		wide[0][i] = x[i].X
		tall[i][1]++
		late[i] = uint32(i)
	}
	for i := range g.Each(50) {
		k := nodes[i].next % 50
		if !nodes[k].live {
			out[g.ID*50+i] = nodes[k].at.Scale(wide[0][k])
		}
	}
}
