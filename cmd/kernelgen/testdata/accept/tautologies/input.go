package tautologies

// What is always true or false, or changes nothing, is Go, and means the same everywhere.

type pair struct{ low, high int32 }

// spin has no end where n is above 3.
func spin(n int32) int32 {
	for {
		if n > 3 {
			return n
		}
		n++
	}
}

//kernel:thread
func tautologies(i int32, x []float32, n []int32, u []uint32) {
	t, y := n[i], x[i]
	ok := t > 0
	p := pair{t, t}
	ok = !ok || ok
	ok = ok && ok && !(ok && !ok)
	t = t
	p = p
	p.low = p.low
	t, t = t, t
	n[i] = n[i]
	if u[i] == u[i] && t == t && ok == ok && u[i] >= 0 && t <= 2147483647 {
		n[i]++
	}
	if t > 5 && t < 3 || t&8 == 4 || t|8 == 4 {
		n[i] += 2
	}
	if t != 5 || t != 3 {
		n[i] += 4
	}
	if y <= y || y >= y {
		n[i] += 8
	}
	if y < y || y > y {
		n[i] += 16
	}
	for k := int32(0); ok; k++ {
		if k > 3 {
			break
		}
	}
	for t != t {
	}
	switch int32(3) {
	case 4:
		n[i] = 0
	}
	if 1 < 2 {
		n[i] += spin(p.low)
	}
	if ok {
	} else if !ok {
	}
	return
	n[i] = t - t
}
