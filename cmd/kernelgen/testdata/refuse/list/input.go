package list

//kernel:thread
func work(i int32, out []float32, n []int32) {
	set(n[1:]) // want "list: a part of a slice"
	var x = n  // want "list: a ..int32 as a value" "type: x is of type"
	y := n[:]  // want "list: a slice expression" "type: y is of type"
	var a, b [4]int32
	a = b // want "list: a .4.int32 as a value" "list: a is assigned as a whole"
	set(a[:])
	if a == b { // want "comparison: a comparison of a .4.int32"
	}
	m := map[int32]int32{} // want "type: a value of type map" "type: m is of type map"
	_, _, _ = x, y, m      // want "list" "list"
	_ = append(n, 1)       // want "builtin: append"

}

func set(x []int32) { x[0] = 1 }
