package double_buffer

import "github.com/trackgen-go/trackgen/kernel"

const points = 128

//kernel:group lanes=128
func relax(g kernel.Group, stride int32, sweeps int32, count []int32, x, out []kernel.Vec2, dropped []int32) {
	var p [2][points]kernel.Vec2
	var near [points][4]int32
	var found [points]int32
	n := count[g.ID]
	base := g.ID * stride
	for i := range g.Each(n) {
		p[0][i] = x[base+i]
	}
	cur := int32(0)
	for sweep := int32(0); sweep < sweeps; sweep++ {
		for i := range g.Each(n) {
			k := int32(0)
			for j := int32(0); j < n; j++ {
				if j != i && p[cur][i].Sub(p[cur][j]).Len() < 1 {
					if k < 4 {
						near[i][k] = j
					} else {
						kernel.AtomicAdd(dropped, 0, 1)
					}
					k++
				}
			}
			found[i] = min(k, 4)
		}
		for i := range g.Each(n) {
			sum := p[cur][i]
			for k := range found[i] {
				sum = sum.Add(p[cur][near[i][k]])
			}
			p[1-cur][i] = sum
		}
		cur = 1 - cur
	}
	for i := range g.Each(n) {
		copyPoint(i, base, p[cur][:], out)
	}
}

func copyPoint(i, base int32, from, to []kernel.Vec2) { to[base+i] = from[i] }
