package bound

import "github.com/trackgen-go/trackgen/kernel"

const first = 0

//kernel:thread
func threads(i int32, x []float32, list []int32) {
	if i >= list[first] {
		return
	}
	x[i] = 1
}

//kernel:group lanes=32
func groups(g kernel.Group, list []int32, x []float32) {
	var shared [2]float32
	const points = 2
	if (list[0]) <= (g.ID) {
		return
	}
	for i := range g.Each(points) {
		x[g.ID*points+i] = shared[i]
	}
}

// None of the kernels below has a bound.

//kernel:thread
func strict(i int32, list []int32, x []float32) {
	if i > list[0] {
		return
	}
	x[i] = 1
}

//kernel:thread
func reversed(i int32, list []int32, x []float32) {
	if i <= list[0] {
		return
	}
	x[i] = 1
}

//kernel:thread
func second(i int32, list []int32, x []float32) {
	if i >= list[1] {
		return
	}
	x[i] = 1
}

//kernel:thread
func unsigned(i int32, list []uint32, x []float32) {
	if uint32(i) >= list[0] {
		return
	}
	x[i] = 1
}

//kernel:thread
func shifted(i int32, list []int32, x []float32) {
	if i+1 >= list[0] {
		return
	}
	x[i] = 1
}

//kernel:thread
//kernel:unproven
func written(i int32, list []int32) {
	if i >= list[0] {
		return
	}
	list[i] = 1
}

//kernel:thread
func otherwise(i int32, list []int32, x []float32) {
	if i >= list[0] {
		return
	} else {
		x[i] = 1
	}
}

//kernel:thread
func marks(i int32, list []int32, x []float32) {
	if i >= list[0] {
		x[i] = 2
		return
	}
	x[i] = 1
}

//kernel:thread
func later(i int32, list []int32, x []float32) {
	x[i] = 2
	if i >= list[0] {
		return
	}
	x[i] = 1
}

//kernel:group lanes=32
func computed(g kernel.Group, list []int32, x []float32) {
	n := list[0]
	if g.ID >= n {
		return
	}
	for range g.Each(1) {
		x[g.ID] = 1
	}
}

//kernel:thread
func empty(i int32) {
}
