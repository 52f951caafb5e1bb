package effect

//kernel:thread
func work(i int32, out []float32, n []int32) {
	out[i] = take(n) + 1 // want "effect: take writes a slice inside an expression"
	out[i] = take(n)     // want "effect: the result of a helper that writes a slice is stored in an element"
	if take(n) > 2 {     // want "effect"
	}
	k := take(n)
	take(n)
	out[i] = k

}

func take(x []int32) float32 {
	x[0]--
	return 1
}
