package pointer

//kernel:thread
func work(i int32, out []float32, n []int32) {
	p := &out[i]    // want "pointer: & .there are no pointers" "type: p is of type"
	*p = 1          // want "pointer: a pointer"
	q := new(int32) // want "builtin: new" "type: q is of type"
	if q == nil {   // want "comparison: a comparison of a .int32"
	}

}
