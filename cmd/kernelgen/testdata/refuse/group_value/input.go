package group_value

import "github.com/trackgen-go/trackgen/kernel"

//kernel:group lanes=32
func work(g kernel.Group, out []float32, n []int32) {
	use(g)   // want "group: the group as a value"
	h := g   // want "group: the group as a value" "type: h is of type kernel.Group"
	g.ID = 3 // want "assignment: the index of the kernel is assigned"
	for i := range g.Each(1) {
		out[h.ID] = float32(i)
	}

}

func use(g kernel.Group) { // want "type: g is of type kernel.Group"
	for range g.Each(2) { // want "phase: a phase outside of a group kernel"
	}
}
