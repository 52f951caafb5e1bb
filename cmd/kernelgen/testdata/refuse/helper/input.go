package helper

//kernel:thread
func work(i int32, out []float32) {
	generic(1)
	variadic(1)
	array([2]int32{})              // want "list: a .2.int32 as a value"
	pointer(nil)                   // want "pointer: nil|type"
	out[i] = float32(results()[0]) // want "list: an index of a result"
	x := results()
	out[i] = float32(x[0])
	r := receiver{}
	r.method()
}

func generic[T any](x T) { // want "helper: generic is generic"
}

func variadic(x ...int32) { // want "helper: variadic is variadic"
}

func array(x [2]int32) { // want "list: parameter x is an array"
}

func pointer(p *int32) { // want "type: p is of type .int32"
}

func results() [2]int32 { // want "type: results returns a .2.int32"
	return [2]int32{} // want "list: a .2.int32 as a value"
}

type receiver struct{ x int32 }

func (r *receiver) method() { // want "type: r is of type .receiver"
}
