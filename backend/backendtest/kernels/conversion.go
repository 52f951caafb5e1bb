package kernels

import "github.com/trackgen-go/trackgen/kernel"

// conversions converts numbers to another type and back, and compares what is converted. A float that an integer became
// may be rounded, an integer that a float became is cut off and may be an end of the range, and a zero loses its sign.
// A device that leaves such a pair of conversions out gives other bits.
//
//kernel:thread
func conversions(i int32, x []int32, f []float32, whole []int32, bits []uint32, floats []float32) {
	v := x[i]
	u := uint32(v)
	whole[6*i] = kernel.ToInt32(float32(v))
	whole[6*i+1] = kernel.ToInt32(float32(u))
	whole[6*i+2] = kernel.ToInt32(-float32(v))
	whole[6*i+3] = kernel.ToInt32(float32(v) - 0.5)
	whole[6*i+4] = kernel.ToInt32(float32(kernel.ToInt32(f[i])))
	whole[6*i+5] = kernel.ToInt32(kernel.Float32FromBits(kernel.Float32Bits(float32(v))))

	held := uint32(0)
	if float32(v) == float32(v^1) {
		held |= 1
	}
	if float32(u) > float32(u-1) {
		held |= 2
	}
	if float32(v) < 16777217 {
		held |= 4
	}
	if float32(v) >= 1<<31 {
		held |= 8
	}
	if float32(u) < float32(v) {
		held |= 16
	}
	if f[i] == float32(kernel.ToInt32(f[i])) {
		held |= 32
	}
	bits[4*i] = held
	bits[4*i+1] = kernel.Float32Bits(float32(v))
	bits[4*i+2] = kernel.Float32Bits(float32(u))
	bits[4*i+3] = kernel.Float32Bits(float32(kernel.ToInt32(f[i])))

	floats[6*i] = float32(kernel.ToInt32(f[i]))
	floats[6*i+1] = float32(uint32(kernel.ToInt32(f[i])))
	floats[6*i+2] = float32(-v)
	floats[6*i+3] = -float32(v)
	floats[6*i+4] = float32(-kernel.ToInt32(f[i]))
	floats[6*i+5] = float32(kernel.ToInt32(float32(v))) - float32(v)
}
