package rows

import "github.com/trackgen-go/trackgen/kernel"

// Helpers take slices: of buffers, of arrays and of rows. In GLSL they are written once for each kind of place.

const width = 8

type record struct {
	used int32
	of   [width]float32
}

func set(row []float32, k int32, value float32) { row[k&7] = value }

func sum(row []float32) float32 {
	total := float32(0)
	for k := range int32(len(row)) {
		total += row[k]
	}
	return total
}

func fill(row []float32, value float32) {
	for k := int32(0); k < width; k++ {
		set(row, k, value)
	}
}

func move(to, from []float32, k int32) { to[k&7] = from[k&7] }

//kernel:thread
func own(i int32, x []float32, out []float32) {
	var line [width]float32
	var grid [3][width]float32
	var r record
	fill(line[:], x[i])
	fill(grid[i%3][:], 2)
	fill(r.of[:], 3)
	move(grid[0][:], grid[i%3][:], i)
	move(line[:], r.of[:], i)
	out[i] = sum(line[:]) + sum(grid[i%3][:]) + sum(r.of[:])
}

//kernel:group lanes=16
func shared(g kernel.Group, x []float32, out []float32) {
	var grid [16][width]float32
	for i := range g.Each(16) {
		set(grid[i][:], 0, x[g.ID*16+i])
	}
	for i := range g.Each(16) {
		out[g.ID*16+i] = sum(grid[i][:]) + float32(int32(len(x)))
	}
}
