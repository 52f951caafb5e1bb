package type_parameter

//kernel:thread
func work(i int32, // no comment here
	flag []bool, // want "kernel: parameter flag is of type ..bool .slices of int32"
	scale float64, // want "kernel: parameter scale is of type float64"
	name string, // want "kernel: parameter name"
	rows [][]int32, // want "kernel: parameter rows"
	v any, // want "kernel: parameter v"
	p *int32, // want "kernel: parameter p"
	m map[int32]int32, // want "kernel: parameter m"
	_ int32, // want "kernel: parameter 8 of work has no name"
) {
}
