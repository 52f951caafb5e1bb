package race

import "github.com/trackgen-go/trackgen/kernel"

//kernel:group lanes=32
func group(g kernel.Group, stride, n int32, x []float32, list []int32, dropped []int32) {
	var p [2][64]float32
	var rows [64][8]int32
	base := g.ID * stride
	cur := int32(0)
	for i := range g.Each(n) {
		x[base+i] = x[base+i+1] // want "race: several items may touch the element of x that is written here as x.base . i. and read at .*input.go:12 as x.base . i . 1."
	}
	for i := range g.Each(n) {
		p[cur][i] = p[cur][(i+1)%n] // want "race: several items may touch the element of p"
	}
	for i := range g.Each(n) {
		x[0] = 1                  // want "race: several items may touch the element of x that is written here as x.0. .an item's own element or row.*"
		p[1-cur][i] = p[n-cur][0] // want "race: .* of p "
		rows[0][i] = rows[1-i][0] // want "race: .* of rows "
	}
	for i := range g.Each(n) {
		for k := int32(0); k <= 8; k++ {
			list[(base+i)*8+k] = k // want "race: .* of list "
		}
		j := i
		j++
		x[j] = 2        // want "race: .* of x that is written here as x.j. .an item's"
		set(dropped, n) // reported in the helper
	}
	for i := range g.Each(n) {
		kernel.AtomicAdd(dropped, 0, 1) // want "race: .* of dropped that is changed by AtomicAdd here as kernel.AtomicAdd.dropped, 0, 1. and changed by AtomicMax at"
		kernel.AtomicMax(dropped, i, 1)
	}
}

func set(x []int32, k int32) {
	x[k] = 1 // want "race: .* of dropped that is written here as x.k."
}

//kernel:thread
func thread(i, stride int32, x []float32, y []kernel.Vec2) {
	x[i/stride] = 1 // want "race: .* of x "
	for k := range stride + 1 {
		y[i*stride+k].X = 1 // want "race: .* of y "
	}
}

//kernel:thread
//kernel:unproven
func needless(i int32, x []float32) { // want "race: needless is proven free of races .leave //kernel:unproven out."
	x[i] = 1
}
