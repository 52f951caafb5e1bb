package distancefield

import (
	"github.com/trackgen-go/trackgen/kernel"
	"github.com/trackgen-go/trackgen/kernels/centerline"
	"github.com/trackgen-go/trackgen/kernels/obstacle"
	"github.com/trackgen-go/trackgen/kernels/vector"
)

// Columns of the packed arrays of contacts. Column c of box i of n boxes is element c*n+i.
const (
	OutOfBounds = 0 // int32
	Boundary    = 1 // int32

	Distance = 0 // float32

	Nearest = 0 // vector
	Normal  = 1 // vector
)

// grid is the grid of an env: its first cell, its side in cells, and its corners.
type grid struct {
	base, side int32
	low, high  kernel.Vec2
}

// along returns where a coordinate is in a row of a grid, in cells from the middle of the first one: from 0 to side-1.
func along(x, low, high float32, side int32) float32 {
	g := kernel.Max(float32((x-low)/(high-low)*float32(side))-0.5, 0) // 0 for a NaN (C-2)
	return kernel.Min(g, float32(side-1))
}

// at returns the distance that is interpolated at a point between the middles of four cells.
func (g grid) at(p kernel.Vec2, phi []float32) float32 {
	x := along(p.X, g.low.X, g.high.X, g.side)
	y := along(p.Y, g.low.Y, g.high.Y, g.side)
	left := kernel.ToInt32(x)
	top := kernel.ToInt32(y)
	right := left + 1
	if right == g.side {
		right = left
	}
	bottom := top + 1
	if bottom == g.side {
		bottom = top
	}
	s := x - float32(left)
	upper := mixed(phi[g.base+top*g.side+left], phi[g.base+top*g.side+right], s)
	lower := mixed(phi[g.base+bottom*g.side+left], phi[g.base+bottom*g.side+right], s)
	return mixed(upper, lower, y-float32(top))
}

func mixed(a, b, t float32) float32 { return float32(a*(1-t)) + float32(b*t) }

// cellAt returns the cell of a point.
func (g grid) cellAt(p kernel.Vec2) int32 {
	x := kernel.ToInt32(along(p.X, g.low.X, g.high.X, g.side) + 0.5)
	y := kernel.ToInt32(along(p.Y, g.low.Y, g.high.Y, g.side) + 0.5)
	if x == g.side {
		x--
	}
	if y == g.side {
		y--
	}
	return g.base + y*g.side + x
}

// slope returns the unit direction at a point in which the distance grows, or zero where it does not.
func (g grid) slope(p kernel.Vec2, phi []float32) kernel.Vec2 {
	x := (g.high.X - g.low.X) / float32(g.side)
	y := (g.high.Y - g.low.Y) / float32(g.side)
	return centerline.Unit(kernel.V2(
		(g.at(kernel.V2(p.X+x, p.Y), phi)-g.at(kernel.V2(p.X-x, p.Y), phi))/float32(2*x),
		(g.at(kernel.V2(p.X, p.Y+y), phi)-g.at(kernel.V2(p.X, p.Y-y), phi))/float32(2*y)))
}

// UpdateBox tests box i of n against the field of its env (C-75): phi and boundary are [E, side, side], low and high
// [E].
//
// It writes the columns of the packed arrays: integers [2n], floats [n], vectors [2n].
func UpdateBox(i, env, n, side int32, position []kernel.Vec3, orientation []kernel.Quat, half []kernel.Vec2,
	phi []float32, boundary []int32, low, high []kernel.Vec2,
	integers []int32, floats []float32, vectors []kernel.Vec2) {
	p := position[i]
	isOut := int32(0)
	nearer := int32(NoBoundary)
	distance := kernel.NaN()
	normal := kernel.V2(kernel.NaN(), kernel.NaN())
	nearest := normal
	if !vector.HasNaN(p) {
		g := grid{base: env * side * side, side: side, low: low[env], high: high[env]}
		b := obstacle.BoxOf(p, orientation[i], half[i])
		least := b.Middle
		distance = g.at(least, phi)
		isOut = 1
		if !kernel.IsNaN(distance) {
			for k := int32(0); k < 4; k++ {
				c := b.Corner(k)
				d := g.at(c, phi)
				if d < distance {
					distance = d
					least = c
				}
			}
			normal = g.slope(least, phi)
			nearest = kernel.V2(least.X-float32(normal.X*distance), least.Y-float32(normal.Y*distance))
			nearer = boundary[g.cellAt(nearest)]
			if distance >= 0 {
				isOut = 0
			}
		}
	}
	if kernel.IsNaN(distance) {
		distance = kernel.NaN()
	}
	integers[OutOfBounds*n+i] = isOut
	integers[Boundary*n+i] = nearer
	floats[Distance*n+i] = distance
	vectors[Nearest*n+i] = centerline.OneNaN(nearest)
	vectors[Normal*n+i] = centerline.OneNaN(normal)
}

// query tests each box against the field of its env: see UpdateBox. boxes is the number of boxes of an env. One thread
// is one box. kernelgen cannot prove that boxes have no column in common.
//
//kernel:thread
//kernel:unproven
//kernel:iterations 5
func query(i int32, n, boxes, side int32, position []kernel.Vec3, orientation []kernel.Quat, half []kernel.Vec2,
	phi []float32, boundary []int32, low, high []kernel.Vec2,
	integers []int32, floats []float32, vectors []kernel.Vec2) {
	UpdateBox(i, i/boxes, n, side, position, orientation, half, phi, boundary, low, high, integers, floats, vectors)
}
