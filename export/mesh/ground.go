package mesh

import (
	"fmt"
	"math"

	"github.com/trackgen-go/trackgen/heightfield"
)

// groundOf returns the ground of env e: a vertex in the middle of each cell of its grid, lowered where the road is.
func groundOf(grids *heightfield.Grid, e int, o Options, road *Mesh) (Mesh, error) {
	m := Mesh{Name: "ground", Material: Grass}
	side := grids.Resolution
	for i, z := range grids.Of(e) {
		x, y := grids.Middle(e, i%side, i/side)
		m.Vertices = append(m.Vertices, [3]float64{x * o.Scale, y * o.Scale, float64(z) * o.Scale})
	}
	if i, bad := m.notFinite(); bad {
		return Mesh{}, &NoMeshError{Env: e, Reason: fmt.Sprintf("has no ground: cell (%d, %d) of its grid is at %v m; "+
			"expected numbers that are finite as float32, which a valid track has", i%side, i/side, m.Vertices[i])}
	}
	for y := range side - 1 {
		for x := range side - 1 {
			a := uint32(y*side + x)
			b, c, d := a+1, a+uint32(side), a+uint32(side)+1
			m.Triangles = append(m.Triangles, [3]uint32{a, b, d}, [3]uint32{a, d, c})
		}
	}
	lower(&m, side, road, o.Gap)
	m.setNormals()
	return m, nil
}

// lower moves the vertices of the ground down, so that in each square that a triangle of the road touches, all four
// corners are at least gap below the lowest place of the triangle in the square.
func lower(ground *Mesh, side int, road *Mesh, gap float64) {
	first, last := ground.Vertices[0], ground.Vertices[len(ground.Vertices)-1]
	var step [2]float64
	for axis := range step {
		step[axis] = (last[axis] - first[axis]) / float64(side-1)
	}
	if !(step[0] > 0 && step[1] > 0) {
		return // a track without an area is on no square
	}
	squares := func(axis int, a, b, c float64) (from, to int) {
		at := func(v float64) int { return int(math.Floor((v - first[axis]) / step[axis])) }
		return max(at(min(a, b, c)), 0), min(at(max(a, b, c)), side-2)
	}
	var polygon, spare [][3]float64
	for _, t := range road.Triangles {
		a, b, c := road.Vertices[t[0]], road.Vertices[t[1]], road.Vertices[t[2]]
		left, right := squares(0, a[0], b[0], c[0])
		bottom, top := squares(1, a[1], b[1], c[1])
		for y := bottom; y <= top; y++ {
			for x := left; x <= right; x++ {
				low, high := ground.Vertices[y*side+x], ground.Vertices[(y+1)*side+x+1]
				polygon = append(polygon[:0], a, b, c)
				for axis := range step {
					spare = clip(spare[:0], polygon, axis, low[axis], 1)
					polygon = clip(polygon[:0], spare, axis, high[axis], -1)
				}
				for _, p := range polygon {
					for _, v := range [...]int{y*side + x, y*side + x + 1, (y+1)*side + x, (y+1)*side + x + 1} {
						ground.Vertices[v][2] = min(ground.Vertices[v][2], p[2]-gap)
					}
				}
			}
		}
	}
}

// clip appends the part of a convex polygon on one side of a line to dst: where the coordinate along the axis is at
// least bound, or with sign -1 at most bound.
func clip(dst, polygon [][3]float64, axis int, bound, sign float64) [][3]float64 {
	for i, p := range polygon {
		next := polygon[(i+1)%len(polygon)]
		here, there := (p[axis]-bound)*sign, (next[axis]-bound)*sign
		if here >= 0 {
			dst = append(dst, p)
		}
		if (here < 0) != (there < 0) {
			u := here / (here - there)
			between := [3]float64{}
			for k := range between {
				between[k] = p[k] + float64(u*(next[k]-p[k]))
			}
			between[axis] = bound
			dst = append(dst, between)
		}
	}
	return dst
}
