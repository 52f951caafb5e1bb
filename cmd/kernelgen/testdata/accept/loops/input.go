package loops

//kernel:thread
func loops(i int32, x []int32, u []uint32) {
	a, b := int32(0), int32(1)
	for p, q := int32(0), int32(10); p < q; p, q = p+1, q-1 {
		if p == 3 {
			continue
		}
		a += p * q
	}
	for k := range x[i] & 7 {
		k += 2 // the count goes on
		if k == 4 {
			continue
		}
		b ^= k
	}
	for range u[i] % 3 {
		a++
	}
	for k := range uint32(4) {
		u[i] += k
	}
	for k := int32(30); k > 0; k /= 2 {
		switch k & 3 {
		case 1:
			continue
		case 2:
			break
		default:
			b++
		}
		a--
	}
	for a > 100 {
		a -= b | 1
	}
	for {
		if b&1 == 0 {
			break
		}
		b >>= 1
	}
	x[i] = a - b
}
