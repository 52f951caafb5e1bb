package product

//kernel:thread
func work(i int32, out []float32, n []int32) {
	a := out[i]
	out[i] = a*a + 1  // want "product: a float product that may be fused with a sum .float32.x . y.*"
	out[i] = -(a * a) // want "product"
	a *= 2            // want "product: .= on a float"
	if a*a > 2 || float32(a*a) > a*a/3 {
		out[i] = float32(a * a * a)
	}
	out[i] = a * a // want "product"

}
