package scalar

import "github.com/trackgen-go/trackgen/kernel"

// Kernels that run one item at a time on a CPU.

//kernel:thread
//kernel:scalar
func collatz(i int32, x []int32) {
	for x[i] > 1 {
		if x[i]&1 == 0 {
			x[i] /= 2
			continue
		}
		x[i] = 3*x[i] + 1
	}
}

//kernel:group lanes=16
//kernel:scalar
func reverse(g kernel.Group, x []float32) {
	var all [16]float32
	for i := range g.Each(16) {
		all[i] = x[g.ID*16+i]
	}
	for i := range g.Each(16) {
		x[g.ID*16+i] = all[15-i]
	}
}
