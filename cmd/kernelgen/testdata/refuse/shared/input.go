package shared

import "github.com/trackgen-go/trackgen/kernel"

//kernel:group lanes=32
func work(g kernel.Group, out []float32, n []int32) {
	var ok [4]float32
	if g.ID > 0 {
		var p [4]float32 // want "shared: array p is declared in a block"
		for i := range g.Each(4) {
			ok[i] = p[i]
		}
	}
	q := [2]int32{1, 2}  // want "shared: shared array q is initialised"
	var r [2]int32 = ok2 // want "variable: ok2" "shared: shared array r is initialised"
	s := ok              // want "list: a .4.float32 as a value" "shared: shared array s is initialised"
	for i := range g.Each(4) {
		ok[i] = float32(q[0]+r[0]) + s[0]
	}

}

var ok2 [2]int32

//kernel:group lanes=32
func nameless(g kernel.Group, out []float32) {
	var _ [3]float32 // want "list: an array without a name"
	for i := range g.Each(4) {
		out[i] = 1
	}
}
