package generator

import "github.com/trackgen-go/trackgen/kernel"

//go:generate go tool kernelgen .

// maxHarmonics is the most waves that a loop is the sum of.
const maxHarmonics = 16

// wave draws one closed loop per env: a circle whose radius goes up and down in waves. There are harmonics waves, with
// 2, 3, ... periods to the turn. Wave k has a random phase, and a random height of at most height/k. One group is one
// env of the list active; a row of loop has points elements, counter-clockwise.
//
//kernel:group lanes=64
//kernel:iterations (points/lanes + 1)*(harmonics + 2) + harmonics + 4
func wave(g kernel.Group, active, seed []int32, harmonics, points int32, height, radius float32, loop []kernel.Vec2) {
	if g.ID >= active[0] {
		return // the list is shorter than the batch
	}
	env := active[g.ID+1]
	var size, phase [maxHarmonics]float32
	for range g.Each(1) { // draws come one after the other, so one item makes them all
		r := kernel.NewRand(seed[env])
		for k := int32(0); k < harmonics; k++ {
			var u float32
			u, r = r.Uniform()
			size[k] = float32(u*height) / float32(k+2)
			u, r = r.Uniform()
			phase[k] = float32(u * turn)
		}
	}
	for i := range g.Each(points) {
		angle := float32(turn*float32(i)) / float32(points)
		distance := float32(1)
		for k := int32(0); k < harmonics; k++ {
			distance += float32(size[k] * kernel.Cos(float32(float32(k+2)*angle)+phase[k]))
		}
		sin, cos := kernel.Sincos(angle)
		loop[env*points+i] = kernel.V2(cos, sin).Scale(float32(radius * distance))
	}
}

const turn = 6.283185307179586 // radians
