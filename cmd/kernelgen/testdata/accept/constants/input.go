package constants

import "math"

const (
	third          = 1.0 / 3
	tiny           = 1e-60 // rounds to zero
	denormal       = 0x1p-140
	least    int32 = math.MinInt32
	all            = 1<<32 - 1
	yes            = third > 0
)

//kernel:thread
func constants(i int32, x []float32, n []int32, u []uint32) {
	const local = third * 3
	var t float32 = tiny
	if yes && x[i] > denormal {
		t = 0
	}
	x[i] = local - x[i]*third/denormal
	x[i] -= -math.MaxFloat32
	x[i] += math.Pi - 16777217
	x[i] = x[i] + t
	n[i] = n[i] ^ least + math.MaxInt32 - -7
	n[i] = n[i] >> 31 << 3
	u[i] = u[i] ^ all - 0x80000000
}
