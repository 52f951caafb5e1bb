package conversion

//kernel:thread
func work(i int32, out []float32, n []int32) {
	n[i] = int32(out[i])    // want "conversion: a float converted to int32, .*kernel.ToInt32"
	u := uint32(out[i] + 1) // want "conversion"
	n[i] = int32(u)
	out[i] = float32(int64(u)) // want "conversion: a conversion to int64"

}
