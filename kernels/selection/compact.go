package selection

import "github.com/trackgen-go/trackgen/kernel"

// chunks is how many parts of a mask are counted and listed side by side.
const chunks = 128

// compact lists in active the envs whose mask is not 0. One group does it all: it counts each part of the mask, sums the
// counts, and lets each part write its envs from its own place on, which is beyond what kernelgen can prove.
//
//kernel:group lanes=128
//kernel:unproven
//kernel:iterations listIterations(envs, lanes)
func compact(g kernel.Group, envs int32, mask, active []int32) {
	var first [chunks + 1]int32 // number of envs before each part
	size := (envs + chunks - 1) / chunks
	for c := range g.Each(chunks) {
		found := int32(0)
		for i := c * size; i < (c+1)*size && i < envs; i++ {
			if mask[i] != 0 {
				found++
			}
		}
		first[c+1] = found
	}
	for range g.Each(1) {
		for c := int32(0); c < chunks; c++ {
			first[c+1] += first[c]
		}
		active[0] = first[chunks]
	}
	for c := range g.Each(chunks) {
		at := first[c] + 1
		for i := c * size; i < (c+1)*size && i < envs; i++ {
			if mask[i] != 0 {
				active[at] = i
				at++
			}
		}
	}
}
