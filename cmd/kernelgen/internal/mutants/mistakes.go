package mutants

import "github.com/trackgen-go/trackgen/kernel"

// The line with the mistake ends in a comment that says which one.

//kernel:group lanes=32
//kernel:unproven
func inPlace(g kernel.Group, n int32, height []float32) {
	var p [rowLength]float32
	for i := range g.Each(n) {
		p[i] = height[g.ID*rowLength+i]
	}
	for i := range g.Each(n) {
		p[i] = float32(0.5 * (p[i] + p[(i+1)%n])) // race
	}
	for i := range g.Each(n) {
		height[g.ID*rowLength+i] = p[i]
	}
}

//kernel:group lanes=32
//kernel:unproven
func oneConstant(g kernel.Group, n int32, flag []int32) {
	for range g.Each(n) {
		flag[g.ID] = 1 // race
	}
}

//kernel:group lanes=32
//kernel:unproven
func lostUpdates(g kernel.Group, n int32, height []float32, top []float32) {
	for i := range g.Each(n) {
		top[g.ID] = kernel.Max(top[g.ID], height[i]) // race
	}
}

//kernel:group lanes=32
func acrossGroups(g kernel.Group, n int32, mark []int32) {
	for i := range g.Each(n) {
		mark[g.ID*(n-1)+i] = i // race
	}
}

//kernel:group lanes=32
func readAcrossGroups(g kernel.Group, mark []int32) {
	next := mark[(g.ID+1)&1] // race
	for range g.Each(1) {
		mark[g.ID] = next
	}
}

//kernel:thread
//kernel:unproven
func acrossThreads(i, n int32, mark []int32) {
	mark[(i+1)%n] = mark[i] // race
}

//kernel:thread
func outside(i int32, mark []int32) {
	mark[i+1] = i // out of bounds
}

func last(row []float32) float32 {
	return row[int32(len(row))] // out of bounds
}

//kernel:thread
func outsideHelper(i int32, mark []float32, out []float32) {
	out[i] = last(mark)
}

//kernel:thread
func outsideLocal(i int32, out []int32) {
	var local [4]int32
	local[i] = i // out of bounds
	out[i] = local[i&3]
}

//kernel:thread
func divideByZero(i int32, out []int32) {
	out[i] = 10 / (2 - i) // division by zero
}

//kernel:thread
func divideOverflow(i int32, out []int32) {
	out[i] = (-1 << 31) / (i - 3) // division overflow
}

//kernel:group lanes=32
//kernel:unproven
func mixedAtomic(g kernel.Group, n int32, out []int32) {
	for i := range g.Each(n) {
		if i == 2 {
			out[0] = 1 // race
		} else {
			kernel.AtomicAdd(out, 0, 1) // race
		}
	}
}

//kernel:group lanes=32
//kernel:unproven
func twoAtomics(g kernel.Group, n int32, out []int32) {
	for i := range g.Each(n) {
		if i == 2 {
			kernel.AtomicMax(out, 0, 7) // race
		} else {
			kernel.AtomicAdd(out, 0, 1) // race
		}
	}
}

// A phase of 3 items is two rounds of two lanes, which count 3 and 2, and its end 1: the bound is one too low.
//
//kernel:group lanes=2
//kernel:iterations n + 2
func longLoops(g kernel.Group, n int32, out []int32) {
	for i := range g.Each(n) {
		for range i % 2 {
			out[i]++ // too many loop iterations
		}
	}
}

//kernel:thread
//kernel:iterations n
func longThread(i int32, n int32, out []int32) {
	for k := int32(0); k < n; k++ {
		out[i]++ // too many loop iterations
	}
}
