package limit_shared

import "github.com/trackgen-go/trackgen/kernel"

//kernel:group lanes=32
func work(g kernel.Group, out []float32, n []int32) {
	var p [4096]kernel.Vec2
	var q [1]int32 // want "limit: with q the shared arrays of work take 32772 bytes .at most 32768."
	for i := range g.Each(1) {
		p[i].X = float32(q[0])
	}

}
