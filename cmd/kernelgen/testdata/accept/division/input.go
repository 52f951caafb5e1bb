package division

const two = 2

type counter struct{ n, of int32 }

//kernel:thread
func divide(i int32, n []int32, u []uint32, x []float32) {
	c := counter{n: n[i], of: 3}
	n[i] /= two
	n[i] %= n[i+0] + 1
	u[i] /= u[i] | 1
	c.n /= c.of
	c.of = c.n%-1 + 3%-1
	n[i] = n[i]/c.of + -7/two
	x[i] /= x[i]
	var halves [two]int32
	halves[i&1] /= c.n
	n[i] += halves[0]
	x[i] += float32(halves[u[i]&1])
}
