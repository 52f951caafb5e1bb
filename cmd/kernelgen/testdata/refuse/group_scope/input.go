package group_scope

import "github.com/trackgen-go/trackgen/kernel"

//kernel:group lanes=32
func work(g kernel.Group, out []float32, n []int32) {
	var p [8]float32
	p[0] = 1                  // want "group-scope: p is written at group scope"
	out[g.ID] = 2             // want "group-scope: out is written at group scope"
	n[0]++                    // want "group-scope"
	kernel.AtomicAdd(n, 0, 1) // want "group-scope: AtomicAdd writes memory at group scope"
	set(out)                  // want "group-scope: set writes memory at group scope"
	x := out[0]
	x++
	for range g.Each(1) {
		p[1] = x
		set(p[:])
	}

}

func set(x []float32) { x[0] = 1 }
