package comparisons

//kernel:thread
func comparisons(i int32, x, y []float32, out []int32) {
	a, b := x[i], y[i]
	nan := a != a
	number := b == b
	both := nan != number
	bits := int32(0)
	if !(a < b) && (a >= b || both) {
		bits |= 1
	}
	if x[i] != x[i] || both == true {
		bits |= 2
	}
	if a*b > 0 || a/b <= -1 {
		bits |= 4
	}
	out[i] = bits
}
