package call

import "math"

//kernel:thread
func work(i int32, out []float32, n []int32) {
	out[i] = float32(math.Sqrt(4)) // want "call: math.Sqrt is of the standard library"
	other(i, out)                  // want "call: other is a kernel"
	a, b := pass()
	out[i] = a + b
	out[i] = add(two()) // want "call: the results of two are passed on at once"

}

//kernel:thread
func other(i int32, out []float32) {
	out[i] = 1
}

func two() (float32, float32) { return 1, 2 }

func add(a, b float32) float32 { return a + b }

func pass() (float32, float32) {
	return two() // want "call: the results of a call are returned at once"
}
