package selection

import "github.com/trackgen-go/trackgen/kernel"

// Salts of the draw of a component: the random stream starts from seed*9241+47, in wrapping int32. No generator uses
// them.
const (
	saltComponent   = 9241
	offsetComponent = 47
)

// chooseComponent chooses the component of every active env. A component that is given is taken; else one is drawn from
// the effective seed, the first whose threshold is above the draw. One thread is one active env. kernelgen cannot prove
// that the list names no env twice.
//
//kernel:thread
//kernel:unproven
//kernel:iterations len(threshold) + 1
func chooseComponent(i int32, active, effective, given []int32, threshold []float32, component []int32) {
	if i >= active[0] {
		return
	}
	env := active[i+1]
	count := int32(len(threshold))
	chosen := given[env]
	if chosen < 0 || chosen >= count {
		u, _ := kernel.NewRand(effective[env]*saltComponent + offsetComponent).Uniform()
		chosen = 0
		for chosen < count-1 && u >= threshold[chosen] {
			chosen++
		}
	}
	component[env] = chosen
}

// split lists the active envs of each component, in their order: list k begins at lists[k*stride]. One group is one
// component and works as a group of narrow does.
//
//kernel:group lanes=128
//kernel:unproven
//kernel:iterations splitIterations(len(active) - 1, lanes)
func split(g kernel.Group, stride int32, active, component, lists []int32) {
	var first [chunks + 1]int32 // number of envs before each part
	base := g.ID * stride
	envs := active[0]
	size := (envs + chunks - 1) / chunks
	for c := range g.Each(chunks) {
		found := int32(0)
		for i := c * size; i < (c+1)*size && i < envs; i++ {
			if component[active[i+1]] == g.ID {
				found++
			}
		}
		first[c+1] = found
	}
	for range g.Each(1) {
		for c := int32(0); c < chunks; c++ {
			first[c+1] += first[c]
		}
		lists[base] = first[chunks]
	}
	for c := range g.Each(chunks) {
		at := base + first[c] + 1
		for i := c * size; i < (c+1)*size && i < envs; i++ {
			if component[active[i+1]] == g.ID {
				lists[at] = active[i+1]
				at++
			}
		}
	}
}
