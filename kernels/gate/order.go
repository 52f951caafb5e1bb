package gate

import "github.com/trackgen-go/trackgen/kernel"

// Orderings of control points (C-33).
const (
	Raw         = 0 // as they were drawn
	ByAngle     = 1 // by angle around their centroid, clockwise
	RandomPairs = 2 // pairs of neighbours in random order
)

// Salts of the draw that orders pair p: its random stream starts from seed*3187 + 7919 + p*104729, in wrapping int32
// (C-33).
const (
	saltPairs   = 3187
	offsetPairs = 7919
	stepPairs   = 104729

	tieBreak = 1e-6 // added once for each pair, so that equal draws keep their order
)

// used is the key of a pair that has its place: all others are smaller.
const used = 4

// orderPairs writes the points point[base..base+n) to position[base..base+n) with z 0, in pairs (0, 1), (2, 3), ... of
// random order; an odd last point is a pair of its own. key[base..base+(n+1)/2) is scratch memory.
func orderPairs(seed, n, base int32, point []kernel.Vec2, key []float32, position []kernel.Vec3) {
	pairs := (n + 1) / 2
	for p := int32(0); p < pairs; p++ {
		u, _ := kernel.NewRand(seed*saltPairs + offsetPairs + p*stepPairs).Uniform()
		key[base+p] = u + float32(float32(p)*tieBreak)
	}
	at := base
	for range pairs {
		first := int32(0)
		for p := int32(1); p < pairs; p++ {
			if key[base+p] < key[base+first] {
				first = p
			}
		}
		key[base+first] = used
		for i := 2 * first; i < 2*first+2 && i < n; i++ {
			position[at] = kernel.V3(point[base+i].X, point[base+i].Y, 0)
			at++
		}
	}
}
