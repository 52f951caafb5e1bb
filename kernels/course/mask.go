package course

// maskOf writes the mask [E] of the envs of a list: 1 for each, else 0. The list has the number of envs, and behind it
// the envs in ascending order. One thread is one env.
//
//kernel:thread
//kernel:iterations 32
func maskOf(e int32, active, mask []int32) {
	low := int32(0)
	high := active[0]
	for low < high {
		middle := (low + high) / 2
		if active[middle+1] < e {
			low = middle + 1
		} else {
			high = middle
		}
	}
	mask[e] = 0
	if low < active[0] && active[low+1] == e {
		mask[e] = 1
	}
}
