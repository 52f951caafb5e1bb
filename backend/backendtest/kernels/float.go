package kernels

import "github.com/trackgen-go/trackgen/kernel"

// add computes sum = a + b.
//
//kernel:thread
func add(i int32, a, b []float32, sum []float32) {
	sum[i] = a[i] + b[i]
}

// arithmetic computes scale*x + y with both operations rounded, x - y, x / y and the square root of x: a device that
// contracts, flushes denormals or approximates gives other bits.
//
//kernel:thread
func arithmetic(i int32, x, y []float32, scale float32, axpy, difference, quotient, root []float32) {
	axpy[i] = float32(scale*x[i]) + y[i]
	difference[i] = x[i] - y[i]
	quotient[i] = x[i] / y[i]
	root[i] = kernel.Sqrt(x[i])
}

// compare writes which of the six comparisons of x and y hold, as bits: NaN and signed zeros show here.
//
//kernel:thread
func compare(i int32, x, y []float32, holds []int32) {
	bits := int32(0)
	if x[i] < y[i] {
		bits |= 1
	}
	if x[i] <= y[i] {
		bits |= 2
	}
	if x[i] == y[i] {
		bits |= 4
	}
	if x[i] != y[i] {
		bits |= 8
	}
	if x[i] >= y[i] {
		bits |= 16
	}
	if x[i] > y[i] {
		bits |= 32
	}
	holds[i] = bits
}

// move copies floats without computing: the payload of a NaN survives.
//
//kernel:thread
func move(i int32, from []float32, to []float32) {
	to[i] = from[i]
}

// scale3 scales packed vectors.
//
//kernel:thread
func scale3(i int32, v []kernel.Vec3, factor float32, scaled []kernel.Vec3) {
	scaled[i] = v[i].Scale(factor)
}
