package phase

import "github.com/trackgen-go/trackgen/kernel"

//kernel:group lanes=32
func work(g kernel.Group, out []float32, n []int32) {
	total := int32(0)
	for i := range g.Each(8) {
		total += i // want "phase: total belongs to the group and is assigned in a phase"
		i++        // want "phase: the item of the phase is assigned"
		if i == 3 {
			break // want "phase: a break that leaves a phase"
		}
		if i == 4 {
			return // want "phase: a return inside a phase"
		}
		if i == 5 {
			continue
		}
		for j := int32(0); j < 3; j++ {
			break
		}
		for range g.Each(2) { // want "phase: a phase inside a phase"
		}
		out[i] = 1
	}
	k := g.Each(3) // want "phase: g.Each outside of a range"
	helper(k)
	if total > 0 {
		return
	}

}

func helper(k int32) int32 { return k }

type bag struct{ a [4]float32 }

func fill(a []float32, v float32) { a[0] = v }

//kernel:group lanes=32
func escape(g kernel.Group, out []float32) {
	var shared [4]float32
	var b bag
	for i := range g.Each(8) {
		var own bag
		fill(own.a[:], 1)
		fill(b.a[:], out[i]) // want "phase: b belongs to the group and is written by fill in a phase"
		out[i] = own.a[0] + shared[0]
	}
}
