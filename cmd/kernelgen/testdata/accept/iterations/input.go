package iterations

import "github.com/trackgen-go/trackgen/kernel"

// width is how many elements of a row are summed.
const width = 3

// twice is a bound of two loops.
func twice(n, body float64) float64 { return 2 * (n*(1+body) + 1) }

// sum has the names that generated code uses, a bound of every kind of operand, and shared arrays, whose clearing
// counts.
//
//kernel:group lanes=64
//kernel:iterations 2.5 + (items - 1)*width/lanes + max(twice(n, min(args, 7)), len(row), len(x)) + 140
func sum(g kernel.Group, x []float32, n int32, weight float32, args uint32, row []kernel.Vec2) {
	var p [100]float32
	var wide [2][130]int32
	var tall [65][4]float32
	for i := range g.Each(n) {
		for k := int32(0); k < width; k++ {
			p[i] += float32(weight * row[k].X)
		}
		for range int32(args) {
			wide[0][i]++
			tall[i][0]++
		}
	}
	total := float32(0)
	for i := int32(0); i < n; i++ {
		total += p[i]
	}
	for range g.Each(1) {
		x[g.ID] = total
	}
}

// fixed has an array of its own, whose clearing counts.
//
//kernel:thread
//kernel:iterations 4
func fixed(items int32, lanes []int32) {
	var powers [3]int32
	for k := int32(0); k < 3; k++ {
		powers[k] = k * k
		lanes[items] += powers[k]
	}
}
