package kernels

import "github.com/trackgen-go/trackgen/kernel"

// total adds the size values of each group in a fixed tree, in shared memory. size is at most 256.
//
//kernel:group lanes=64
func total(g kernel.Group, size int32, value []float32, sum []float32) {
	var partial [2][256]float32
	base := g.ID * size
	cur := int32(0)
	for i := range g.Each(size) {
		partial[cur][i] = value[base+i]
	}
	for width := int32(128); width > 0; width /= 2 {
		for i := range g.Each(width) {
			partial[1-cur][i] = partial[cur][i] + partial[cur][i+width]
		}
		cur = 1 - cur
	}
	for range g.Each(1) {
		sum[g.ID] = partial[cur][0]
	}
}

// smooth averages each value with its neighbours on a ring, sweeps times, between the two halves of a shared array. It
// returns early where the group is empty. size is at most 300.
//
//kernel:group lanes=128
func smooth(g kernel.Group, sweeps int32, stride int32, size []int32, value []float32, smoothed []float32) {
	var ring [2][300]float32
	n := size[g.ID]
	if n <= 0 {
		return
	}
	base := g.ID * stride
	cur := int32(0)
	for i := range g.Each(n) {
		ring[cur][i] = value[base+i]
	}
	for sweep := int32(0); sweep < sweeps; sweep++ {
		for i := range g.Each(n) {
			next := i + 1
			if next == n {
				next = 0
			}
			before := i - 1
			if before < 0 {
				before = n - 1
			}
			ring[1-cur][i] = float32(0.25*ring[cur][before]) + float32(0.5*ring[cur][i]) + float32(0.25*ring[cur][next])
		}
		cur = 1 - cur
	}
	for i := range g.Each(n) {
		smoothed[base+i] = ring[cur][i]
	}
}

// fresh writes what a shared array holds at the start, zero on every backend, and then dirties it for the next group.
//
//kernel:group lanes=32
func fresh(g kernel.Group, found []int32) {
	var shared [64]int32
	seen := int32(0)
	for k := int32(0); k < 64; k++ {
		seen |= shared[k]
	}
	for i := range g.Each(64) {
		shared[i] = i + 1
	}
	last := shared[63]
	for range g.Each(1) {
		found[2*g.ID] = seen
		found[2*g.ID+1] = last
	}
}
