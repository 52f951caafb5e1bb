package selection

import "github.com/trackgen-go/trackgen/kernel"

// narrow lists in to those envs of the list from whose mask is not 0, in their order. One group does it all, as in compact,
// in proportion to the length of from.
//
//kernel:group lanes=128
//kernel:unproven
//kernel:iterations listIterations(len(from) - 1, lanes)
func narrow(g kernel.Group, from, mask, to []int32) {
	var first [chunks + 1]int32 // number of envs before each part
	envs := from[0]
	size := (envs + chunks - 1) / chunks
	for c := range g.Each(chunks) {
		found := int32(0)
		for i := c * size; i < (c+1)*size && i < envs; i++ {
			if mask[from[i+1]] != 0 {
				found++
			}
		}
		first[c+1] = found
	}
	for range g.Each(1) {
		for c := int32(0); c < chunks; c++ {
			first[c+1] += first[c]
		}
		to[0] = first[chunks]
	}
	for c := range g.Each(chunks) {
		at := first[c] + 1
		for i := c * size; i < (c+1)*size && i < envs; i++ {
			if mask[from[i+1]] != 0 {
				to[at] = from[i+1]
				at++
			}
		}
	}
}
