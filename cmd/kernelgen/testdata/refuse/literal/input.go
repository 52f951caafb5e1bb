package literal

const name = "x"

//kernel:thread
func work(i int32, out []float32, n []int32) {
	if name == "x" { // want "literal: constant name is of type" "literal: literal .x. "
		n[i] = 'a' // want "literal: literal 'a'"
	}
	n[i] = int32(len("four")) // want "literal"

}
