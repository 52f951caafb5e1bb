package statements

//kernel:thread
func statements(i int32, x []float32, n []int32, u []uint32) {
	const half, third = 0.5, 1.0 / 3
	var a, b int32 = 1, 2
	var c float32
	a, b = b, a
	for k := int32(0); k < 4; k++ {
		if k == 2 {
			continue
		} else if k == 3 {
			break
		}
		a += k
	}
	for a < 100 {
		a *= 2
	}
	for {
		b--
		if b < 0 {
			break
		}
	}
	for k := range b + 3 {
		c += float32(k)
	}
	for range 3 {
		c -= half
	}
	switch v := n[i]; v & 3 {
	case 0:
		a = 1
	case 1, 2:
		if b == 0 {
			break
		}
		a = 2
	default:
		a = 3
	}
	switch {
	case c < third:
		c = 1
	case c > 2 && a != 3 || !(b >= 0):
		c = 2
	}
	if d := c - 1; d > 0 {
		c = d
	}
	{
		a := a + 1
		b = a
	}
	n[i] = a + b
	n[i] <<= 2
	n[i] &^= 1
	n[i] ^= ^a | b
	n[i] = n[i] % 7
	u[i] = u[i]>>(uint32(a)&31) + uint32(max(a, b, 3))
	u[i]++
	x[i], c = c, x[i]
	x[i] += float32(c*half) - -c
	x[i] /= c
}
