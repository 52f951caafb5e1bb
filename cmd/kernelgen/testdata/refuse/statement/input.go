package statement

//kernel:thread
func work(i int32, out []float32, n []int32) {
	go helper()    // want "statement: a go statement"
	defer helper() // want "statement: a defer statement"
	type t int32   // want "statement: a type declared in a function"
	select {}      // want "statement: a statement that kernels do not have"

}

func helper() {}
