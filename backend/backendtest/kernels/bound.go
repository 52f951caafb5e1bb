package kernels

import "github.com/trackgen-go/trackgen/kernel"

// first adds 1 to the first bound[0] elements, as many as there are items at most.
//
//kernel:thread
func first(i int32, bound []int32, x []int32) {
	if i >= bound[0] {
		return
	}
	x[i]++
}

// firstRows adds 1 to the first bound[0] rows of size elements. size is at most 64.
//
//kernel:group lanes=32
func firstRows(g kernel.Group, size int32, bound []int32, x []int32) {
	var next [64]int32
	if bound[0] <= g.ID {
		return
	}
	for i := range g.Each(size) {
		next[i] = x[g.ID*size+i] + 1
	}
	for i := range g.Each(size) {
		x[g.ID*size+i] = next[i]
	}
}
