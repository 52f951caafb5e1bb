package type_int

//kernel:thread
func work(i int32, out []float32, n []int32) {
	k := 3             // want "type: k is of type int: it is int .bool, int32"
	for j := range 4 { // want "type: a range over an int, which gives an int"
		out[j] = 1
	}
	var d float64           // want "type: d is of type float64"
	out[i] = float32(d + 1) // want "type: a value of type float64"
	n[k] = int32(len(n))

}
