package variable

var scale float32 = 2

var counter int32

var table [4]int32

//kernel:thread
func work(i int32, out []float32, n []int32) {
	out[i] = scale  // want "variable: scale is a variable of a package"
	counter++       // want "variable: counter is a variable of a package"
	n[i] = table[2] // want "variable: table"

}
