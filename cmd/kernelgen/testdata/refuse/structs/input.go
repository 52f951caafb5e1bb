package structs

type empty struct{}

type inner struct{ x int32 }

type embedded struct{ inner }

type nested struct{ f float64 }

//kernel:thread
func work(i int32, out []float32, n []int32) {
	var a empty          // want "type: a is of type empty: it has no fields"
	var b embedded       // want "type: b is of type embedded: field inner is embedded"
	var c nested         // want "type: c is of type nested: of field f it is float64"
	var d [2][2][2]int32 // want "type: d is of type .*: it has more than two dimensions"
	var e [8193]int32    // want "type: e is of type .8193.int32: it takes more than 32768 bytes"
	x, y := inner{1}, inner{2}
	if x == y { // want "comparison: a comparison of a inner"
		out[i] = float32(d[0][0][0])
	}
	n[3000000000] = e[0] // want "list: index 3000000000"
	_ = a
	_ = b
	_ = c

}
