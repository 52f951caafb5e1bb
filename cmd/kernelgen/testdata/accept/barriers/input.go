package barriers

import "github.com/trackgen-go/trackgen/kernel"

// Code at group scope that reads what a phase writes is followed by a barrier; a condition is evaluated before it.

//kernel:group lanes=32
func barriers(g kernel.Group, n int32, given []int32, written []int32, both []int32) {
	var s [64]int32
	first := given[g.ID] // no phase writes it: no barrier
	for i := range g.Each(n) {
		s[i] = given[i]
		both[g.ID*64+i] = both[g.ID*64+i] + first
	}
	if s[0] > first {
		for i := range g.Each(s[1]) {
			s[i] = i
		}
	} else if k := both[g.ID*64]; k > s[2] {
		for i := range g.Each(n) {
			s[i] = 2 * i
		}
	}
	for round := int32(0); round < n; round++ {
		if s[round] == 0 {
			continue
		}
		switch s[3] {
		case 0:
			break
		case 1:
			for i := range g.Each(n) {
				s[i]++
			}
		}
		switch {
		case s[4] > 0:
			for i := range g.Each(n) {
				s[i]--
			}
		case first > 0:
			for range g.Each(1) {
				s[0] = 0
			}
		default:
			for range g.Each(1) {
				s[1] = 0
			}
		}
		if s[5] < 0 {
			break
		}
	}
	for range 3 {
		for i := range g.Each(n) {
			s[i] += first
		}
	}
	sum := int32(0)
	for i := int32(0); i < n; i++ { // one barrier after the loop
		if s[i] < 0 {
			continue
		}
		sum += s[i]
	}
	product := s[6] * sum
	if product == 0 {
		return
	}
	for i := range g.Each(n) {
		written[g.ID*64+i] = product + s[i]
	}
}

// What several lanes write one after the other is coherent.

//kernel:group lanes=32
func rewritten(g kernel.Group, n int32, once, twice, looped []int32) {
	base := g.ID * n
	for i := range g.Each(n) {
		once[base+i] = i
		twice[base+i] = i
	}
	for i := range g.Each(n) {
		twice[base+n-1-i] = 2
	}
	for round := range n {
		for i := range g.Each(n) {
			looped[base+i] = round
		}
	}
}
