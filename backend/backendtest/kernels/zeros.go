package kernels

import "github.com/trackgen-go/trackgen/kernel"

// knownZeros adds and multiplies by zeros that a compiler can work out: the first number of an unrolled loop, bit
// patterns, and what is left of constants. x + 0 is not x where x is -0, and x * 0 is not 0 where x is infinite.
//
//kernel:thread
func knownZeros(i int32, x, y, out []float32) {
	for k := range int32(3) {
		out[13*i+k] = x[i] + float32(y[i]*float32(k))
	}
	step := float32(1)
	for k := range int32(3) {
		out[13*i+3+k] = x[i] + step
		step -= 0.5
	}
	bits := uint32(0)
	out[13*i+6] = x[i] + kernel.Float32FromBits(bits)
	out[13*i+7] = x[i] - kernel.Float32FromBits(bits|0x80000000)
	out[13*i+8] = float32(x[i] * kernel.Float32FromBits(bits))
	pair := kernel.V2(1, -1)
	out[13*i+9] = x[i] + (pair.X + pair.Y)
	whole := int32(0)
	out[13*i+10] = float32(y[i] * float32(whole))
	one := float32(1)
	out[13*i+11] = float32(x[i]*(one-1)) + y[i]
	out[13*i+12] = x[i] + kernel.Float32FromBits(kernel.Float32Bits(kernel.Float32FromBits(bits)))
}
