package closure

//kernel:thread
func work(i int32, out []float32, n []int32) {
	f := func(x float32) float32 { return x } // want "closure: a function literal" "type: f is of type"
	out[i] = f(1)                             // want "call: a call of what is no declared function"
	func() { out[i] = 1 }()                   // want "closure: a function literal"
	g := helper                               // want "closure: function helper as a value" "type: g is of type"
	_ = g

}

func helper() {}
