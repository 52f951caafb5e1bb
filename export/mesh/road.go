package mesh

import (
	"math"

	"github.com/trackgen-go/trackgen/kernel"
	"github.com/trackgen-go/trackgen/track"
)

// rows is the number of vertices across the road: outer border, centreline, inner border.
const rows = 3

// lineNames names the lines of the vertices across the road.
var lineNames = [rows]string{"outer border", "centreline", "inner border"}

// roadOf returns the strip of the road of env e, a closed ring.
func roadOf(b *track.Batch, e int, scale float64) Mesh {
	n := int(b.Count[e])
	m := Mesh{Name: "road", Material: Asphalt}
	lines := [rows][]kernel.Vec3{b.Points(b.Outer, e), b.Points(b.Center, e), b.Points(b.Inner, e)}
	for i := range n {
		for _, line := range lines {
			p := line[i]
			m.Vertices = append(m.Vertices,
				[3]float64{float64(p.X) * scale, float64(p.Y) * scale, float64(p.Z) * scale})
		}
	}
	for i := range uint32(n) {
		here, there := rows*i, rows*((i+1)%uint32(n))
		for row := range uint32(rows - 1) {
			a, c, next, beyond := here+row, here+row+1, there+row, there+row+1
			m.Triangles = append(m.Triangles, [3]uint32{a, next, c}, [3]uint32{c, next, beyond})
		}
	}
	m.orient()
	m.setNormals()
	return m
}

// meanWidth returns the mean width of a road.
func meanWidth(road *Mesh) float64 {
	sum, n := 0.0, len(road.Vertices)/rows
	for i := range n {
		outer, inner := road.Vertices[rows*i], road.Vertices[rows*i+rows-1]
		sum += math.Hypot(inner[0]-outer[0], inner[1]-outer[1])
	}
	return sum / float64(n)
}
