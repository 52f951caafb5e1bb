package distancefield

import (
	"github.com/trackgen-go/trackgen/kernel"
	"github.com/trackgen-go/trackgen/kernels/heightfield"
	"github.com/trackgen-go/trackgen/kernels/polyline"
)

// Lines of the index.
const (
	Inner = 0
	Outer = 1
	Lines = 2
)

// NoBoundary is the boundary of a cell of a track of fewer than 3 points, and of a box without one.
const NoBoundary = -1

const (
	// TileSide is the side of the square of cells that one group bakes.
	TileSide = 32

	blocks = TileSide / blockSide // along the side of a tile

	parts = 64 // items that share the search for the corners of a grid
)

// corners computes the corners of the grid of every active env (C-20). low and high are [E], outer is [E, maxPoints].
// One group is one env.
//
//kernel:group lanes=64
//kernel:iterations cornersIterations(maxPoints, lanes)
func corners(g kernel.Group, active []int32, maxPoints int32, padding float32, outer []kernel.Vec3, count []int32,
	low, high []kernel.Vec2) {
	if g.ID >= active[0] {
		return
	}
	env := active[g.ID+1]
	n := count[env]
	if n > maxPoints {
		n = maxPoints
	}
	var part [parts]heightfield.Box
	for k := range g.Each(parts) {
		part[k] = heightfield.Around(k, parts, n, env*maxPoints, outer)
	}
	for range g.Each(1) {
		b := part[0]
		for k := int32(1); k < parts; k++ {
			b = heightfield.Union(b, part[k])
		}
		b = heightfield.GridOf(b, n, padding)
		low[env] = b.Low
		high[env] = b.High
	}
}

// bake gives each cell of the grids of the active envs its signed distance from the nearest border, and which border
// that is (C-74): phi and boundary are [E, side, side]. index has the lines Inner and Outer, see package polyline.
//
// One group is one tile of an env: those of the active envs follow each other, and work[0] is their number. kernelgen
// cannot prove that tiles have no cell in common.
//
//kernel:group lanes=64
//kernel:unproven
//kernel:iterations bakeIterations(maxPoints, lanes)
func bake(g kernel.Group, work, active []int32, maxPoints, side int32, index []kernel.Quat,
	low, high []kernel.Vec2, phi []float32, boundary []int32) {
	if g.ID >= work[0] {
		return
	}
	t := heightfield.TileOf(g.ID, side, TileSide, active)
	isRoad := polyline.LineOf(t.Env, Inner, Lines, maxPoints, index).N >= 3
	for k := range g.Each(blocks * blocks) {
		left := t.Left + k%blocks*blockSide
		top := t.Top + k/blocks*blockSide
		if left < side && top < side {
			var x, y [blockSide]float32
			var squared, distance [blockCells]float32
			isOn := int32(0)    // one bit for each cell on the road
			isOuter := int32(0) // one bit for each cell that is nearer to the outer border
			middles(left, top, side, low[t.Env], high[t.Env], x[:], y[:])
			// One call for both borders, because two would need more registers.
			for line := int32(0); line < Lines && isRoad; line++ {
				l := polyline.LineOf(t.Env, line, Lines, maxPoints, index)
				leastSquares(x[:], y[:], l, index, squared[:])
				isOn = insides(x[:], y[:], l, index) &^ isOn // in the end, inside outer and not inside inner
				for i := int32(0); i < blockCells; i++ {
					d := kernel.Min(kernel.Sqrt(squared[i]), polyline.Far)
					if line == Inner || d < distance[i] {
						distance[i] = d
						isOuter |= line << (i & 31)
					}
				}
			}
			for i := int32(0); i < blockCells; i++ {
				if left+i%blockSide < side && top+i/blockSide < side {
					cell := t.Env*side*side + (top+i/blockSide)*side + left + i%blockSide
					signed := kernel.NaN()
					nearer := int32(NoBoundary)
					if isRoad {
						signed = distance[i]
						nearer = isOuter >> (i & 31) & 1
						if isOn>>(i&31)&1 == 0 {
							signed = -signed
						}
					}
					phi[cell] = signed
					boundary[cell] = nearer
				}
			}
		}
	}
}
