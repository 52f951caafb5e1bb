package untyped

// Constants without a type become what their place asks for: a shift count of 2.0 is a number of bits, and an index of
// 1.0 is the number of an element.

const (
	three = 3.0
	huge  = 1 << 100

	bits int = 2
)

func rotate(u uint32) uint32 { return u<<8.0 | u>>24.0 }

//kernel:thread
func untyped(i int32, x []float32, n []int32, u []uint32) {
	const one = 4.0 / 4
	n[i] = n[i] << 1.0
	n[i] = n[i] >> one << three
	n[i] <<= 2.0
	n[i] >>= 1e0
	n[i] <<= bits
	u[i] = u[i]<<3.0 ^ 1<<3.0
	u[i] >>= three - 1
	u[i] = rotate(u[i])
	var a [three]int32
	a[2.0] = n[i]
	a[1e0], a[0] = int32(1e3), huge>>98.0
	n[i] += a[three-2] + a[0]
	n[i] += 1.0
	switch n[i] {
	case 1.0, 2e0, three:
		n[i] = three
	}
	for k := int32(0.0); k < three; k++ {
		n[i] += k
	}
	for range 2 {
		n[i]++
	}
	x[i] += huge
	x[i] -= -0.5 + 1<<three
}
