package kernels

import "github.com/trackgen-go/trackgen/kernel"

// integers computes what wraps and shifts: products, sums, differences, bits, and quotients where they are defined.
//
//kernel:thread
func integers(i int32, x, y []int32, product, mixed, quotient, remainder []int32, hash []uint32) {
	a, b := x[i], y[i]
	product[i] = a * b
	mixed[i] = (a + b) ^ (a - b) | (a >> (b & 31)) ^ (a << (b & 31))
	q, r := int32(0), int32(0)
	if b != 0 && b != -1 {
		q = a / b
		r = a % b
	}
	quotient[i] = q
	remainder[i] = r
	h := uint32(a)*747796405 + 2891336453
	hash[i] = (h>>(uint32(b)&31))*277803737 ^ h>>22
}

// convert saturates floats to integers and converts integers to floats.
//
//kernel:thread
func convert(i int32, x []float32, y []int32, truncated []int32, widened []float32) {
	truncated[i] = kernel.ToInt32(x[i])
	widened[i] = float32(y[i])
}

// stamp writes 3*i + offset.
//
//kernel:thread
func stamp(i int32, offset int32, out []int32) {
	out[i] = 3*i + offset
}

// increment adds one to every element: running it twice is not running it once.
//
//kernel:thread
func increment(i int32, x []int32) {
	x[i]++
}

// chain computes x = 3*x + term, which does not commute: it shows the order in which launches run.
//
//kernel:thread
func chain(i int32, term int32, x []int32) {
	x[i] = 3*x[i] + term
}

// tally counts the items, finds the largest index and joins bits, with atomics.
//
//kernel:thread
func tally(i int32, counts []int32) {
	kernel.AtomicAdd(counts, 0, 1)
	kernel.AtomicMax(counts, 1, i)
	kernel.AtomicOr(counts, 2, 1<<(i&31))
}

// mixture reads every type of parameter, scalars and buffers in turns: a launch that mixes up their order shows it.
//
//kernel:thread
func mixture(i int32, a int32, two []kernel.Vec2, b uint32, four []kernel.Quat, three []kernel.Vec3, c float32,
	unsigned []uint32, signed []int32, floats []float32, outSigned []int32, outUnsigned []uint32, outFloats []float32,
	outTwo []kernel.Vec2, outThree []kernel.Vec3, outFour []kernel.Quat) {
	outSigned[i] = signed[i] + a
	outUnsigned[i] = unsigned[i] ^ b
	outFloats[i] = floats[i] + c
	outTwo[i] = two[i].Scale(c)
	outThree[i] = three[i].Scale(c)
	outFour[i] = kernel.Quat{X: four[i].W, Y: four[i].Z, Z: four[i].Y, W: four[i].X + c}
}
