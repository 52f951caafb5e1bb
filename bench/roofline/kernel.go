package roofline

//go:generate go run ../../cmd/kernelgen .

// copyWords copies from to to, four words an item. Eight items at a time would gather words that are four apart, which
// takes 2.4 times as long.
//
//kernel:thread
//kernel:scalar
func copyWords(i int32, from, to []uint32) {
	k := 4 * i
	a := from[k]
	b := from[k+1]
	c := from[k+2]
	d := from[k+3]
	to[k] = a
	to[k+1] = b
	to[k+2] = c
	to[k+3] = d
}

// chains is how many products and sums of one item do not depend on one another: what a processor has in flight that
// begins two products and two sums in a cycle and takes three cycles for each. With both constants they fit in the
// sixteen registers of a processor with AVX2.
const chains = 12

// multiplyAdd makes 2*chains*steps operations an item: x = x*factor + addend in twelve chains, each rounded twice, as
// in every kernel here. The values stay below addend/(1-factor). On a CPU with AVX2 it runs eight items at a time like
// other kernels, so it measures the peak of vectors of eight products or sums without fused operations.
//
//kernel:thread
func multiplyAdd(i int32, steps int32, factor, addend float32, result []float32) {
	a := float32(i)
	b := a + 1
	c := a + 2
	d := a + 3
	e := a + 4
	f := a + 5
	g := a + 6
	h := a + 7
	p := a + 8
	q := a + 9
	r := a + 10
	t := a + 11
	for s := int32(0); s < steps; s++ {
		a = float32(a*factor) + addend
		b = float32(b*factor) + addend
		c = float32(c*factor) + addend
		d = float32(d*factor) + addend
		e = float32(e*factor) + addend
		f = float32(f*factor) + addend
		g = float32(g*factor) + addend
		h = float32(h*factor) + addend
		p = float32(p*factor) + addend
		q = float32(q*factor) + addend
		r = float32(r*factor) + addend
		t = float32(t*factor) + addend
	}
	result[i] = a + b + c + d + e + f + g + h + p + q + r + t
}
