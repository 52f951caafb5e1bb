package access

import "github.com/trackgen-go/trackgen/kernel"

//kernel:thread
func classes(i int32, read, written, both, updated, length []float32, counted []int32) {
	written[i] = read[i]
	both[i] = both[i] / 2
	updated[i] -= float32(int32(len(length)))
	kernel.AtomicAdd(counted, 0, 1)
}

//kernel:thread
func throughHelpers(i int32, read []kernel.Vec2, written, both []float32) {
	outer(i, written, both, read)
}

func outer(i int32, a, b []float32, p []kernel.Vec2) {
	inner(a, i, p[i].Len())
	b[i] = value(b, i)
}

func inner(x []float32, i int32, v float32) { x[i] = v }

func value(x []float32, i int32) float32 { return x[i] }
