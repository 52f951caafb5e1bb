package atomics

import "github.com/trackgen-go/trackgen/kernel"

func count(bins []int32, x float32) {
	kernel.AtomicAdd(bins, kernel.ToInt32(x)&15, 1)
}

//kernel:group lanes=64
func histogram(g kernel.Group, n int32, x []float32, bins []int32, range_ []int32) {
	var local [16]int32
	for i := range g.Each(n) {
		count(local[:], x[g.ID*n+i])
		kernel.AtomicMax(range_, 0, i)
		kernel.AtomicOr(range_, 1, 1<<(i&31))
	}
	for i := range g.Each(16) {
		kernel.AtomicAdd(bins, i, local[i])
	}
}

//kernel:thread
func direct(i int32, x []float32, bins []int32) {
	count(bins, x[i])
}
