package builtin

//kernel:thread
func work(i int32, out []float32, n []int32) {
	out[i] = min(out[i], 2) // want "builtin: min of floats, .*kernel.Min"
	n[i] = max(n[i], 2)
	x := len(n) // want "builtin: len gives an int" "type: x is of type int"
	copy(n, n)  // want "builtin: copy"
	panic(x)    // want "builtin: panic"

}
