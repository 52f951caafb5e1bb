package lengths

import "github.com/trackgen-go/trackgen/kernel"

// fifth reads an element that not every slice has.
func fifth(x []int32) int32 {
	if int32(len(x)) > 5 {
		return x[5]
	}
	return x[0]
}

func setFifth(x []int32) {
	if int32(len(x)) > 5.0 {
		x[5.0]++
		x[5], x[0] = x[0], x[5]
	}
}

func countFifth(x []int32) {
	if int32(len(x)) > 5 {
		kernel.AtomicAdd(x, 5, 1)
	}
}

//kernel:group lanes=8
func lengths(g kernel.Group, out []int32) {
	var short [3]int32
	var long [7]int32
	for range g.Each(1) {
		var own [2]int32
		setFifth(own[:])
		setFifth(long[:])
		setFifth(short[:])
		countFifth(long[:])
		countFifth(short[:])
		out[g.ID] = fifth(own[:]) + fifth(short[:]) + fifth(long[:])
	}
}
