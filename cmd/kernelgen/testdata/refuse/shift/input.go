package shift

const count float32 = 3

//kernel:thread
func work(i int32, out []float32, n []int32) {
	n[i] = n[i] << n[0] // want "shift: a shift by a variable that may be 32 or more"
	n[i] <<= 32         // want "shift: a shift by 32"
	n[i] >>= n[0]       // want "shift"
	n[i] = n[i] << (n[0] & 31)
	n[i] = n[i] << (7 & n[0])
	n[i] = n[i] << uint32(n[0]&31) >> 3
	n[i] = n[i] << (n[0] & 63) // want "shift"
	n[i] = n[i] << count       // want "shift: a shift by a float32 .0 to 31, of an integer type or none."
	n[i] >>= float64(2)        // want "shift: a shift by a float64"

}
