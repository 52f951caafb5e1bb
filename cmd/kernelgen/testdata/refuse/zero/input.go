package zero

const zero = 0

//kernel:thread
func work(i int32, out []float32, n []int32) {
	out[i] = out[i] + 0.0        // want "zero: a float zero as an operand"
	out[i] = 0.0 - out[i]        // want "zero"
	out[i] = float32(out[i] * 0) // want "zero"
	out[i] += zero               // want "zero"
	out[i] = out[i] - 1

}
