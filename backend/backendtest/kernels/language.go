package kernels

import "github.com/trackgen-go/trackgen/kernel"

// tallies is a struct with an array, which helpers change and return.
type tallies struct {
	low, high int32
	bins      [4]int32
}

// with returns the tallies with one more value.
func (t tallies) with(value int32) tallies {
	if value < t.low {
		t.low = value
	}
	if value > t.high {
		t.high = value
	}
	t.bins[value&3]++
	return t
}

// rotate moves the first n elements of a row by one, and returns the one that went around.
func rotate(row []int32, n int32) int32 {
	first := row[0]
	for k := int32(1); k < n; k++ {
		row[k-1] = row[k]
	}
	row[n-1] = first
	return first
}

// swapped returns both values in the other order.
func swapped(a, b int32) (first, second int32) {
	first, second = b, a
	return
}

// statements walks through the statements of the kernel language: x names a path.
//
//kernel:thread
func statements(i int32, x []int32, out []int32, bits []uint32) {
	var rows [3][5]int32
	t := tallies{low: 1 << 30, high: -1 << 30}
	for k := range int32(15) {
		rows[k/5][k%5] = x[i] + k*k
		t = t.with(rows[k/5][k%5] % 100)
	}
	which := x[i] & 1
	around := rotate(rows[which][:], 5)
	bin := rotate(t.bins[:], 4)
	a, b := swapped(around+bin, t.low)
	rows[which][2], which = which, rows[which][2]&1
	switch v := a & 7; v {
	case 0, 3:
		b += 2
	case 1:
		if b < 0 {
			break
		}
		b -= t.high
	default:
		for k := range b & 15 {
			k *= 2 // the count goes on
			if k == 10 {
				continue
			}
			a ^= k
		}
	}
	switch {
	case a < b && b > 0:
		a = -a
	case a == b, a&1 == 0:
		a = ^a
	}
	for p, q := int32(0), int32(9); p < q; p, q = p+1, q-2 {
		if p == 2 {
			continue
		}
		a += p * q
	}
	b -= -1 << 31 >> (uint32(x[i]) & 31)
	if a := a + which; a%2 != 0 {
		b &^= a
	} else if c := a / 3; c > 0 {
		b |= c
	} else {
		b = max(a, b, c)
	}
	u := uint32(x[i])
	u = u/3 + u%7 - u*5
	u = -u ^ u<<7 | u>>25
	bits[i] = u
	out[i] = a ^ b ^ rows[which][2] ^ t.bins[x[i]&3] ^ rows[1][0]
}

// uniform reads shared memory and buffers at group scope between the phases that write them: every lane must see the
// values of before. It leaves loops around phases early, by what it reads. size is at most 200.
//
//kernel:group lanes=96
func uniform(g kernel.Group, size int32, limit []int32, value []int32, scratch []int32, trace []int32) {
	var row [200]int32
	var total [1]int32
	base := g.ID * size
	for i := range g.Each(size) {
		row[i] = value[base+i]
	}
	rounds := int32(0)
	for round := int32(0); round < 40; round++ {
		if total[0] > limit[g.ID] {
			break
		}
		before := total[0]
		for i := range g.Each(size) {
			kernel.AtomicAdd(total[:], 0, row[i]&15+before&1)
		}
		if row[0]&3 == 1 {
			for range g.Each(1) {
				row[0] += 2
			}
			continue
		}
		sum := int32(0)
		for i := int32(0); i < size; i++ {
			sum += row[i]
		}
		switch sum & 3 {
		case 0:
			for i := range g.Each(size) {
				row[i] += sum
			}
		case 1:
			for i := range g.Each(size) {
				scratch[base+i] = row[(i+1)%size]
			}
			for i := range g.Each(size) {
				row[i] = scratch[base+i] ^ round
			}
		default:
			for i := range g.Each(size) {
				row[i]++
			}
		}
		rounds++
	}
	if rounds == 0 {
		return
	}
	last := row[size-1]
	for i := range g.Each(size) {
		scratch[base+i] = row[i] + last
	}
	seen := scratch[base]
	for i := range g.Each(size) {
		scratch[base+i] = seen - scratch[base+i]
	}
	for range g.Each(1) {
		trace[2*g.ID] = rounds
		trace[2*g.ID+1] = total[0]
	}
}
