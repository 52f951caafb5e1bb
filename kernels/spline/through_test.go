package spline

import (
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"pgregory.net/rapid"

	"github.com/trackgen-go/trackgen/kernel"
	"github.com/trackgen-go/trackgen/kernels/centerline"
)

// draw makes the loop through the vertices of one env.
func draw(vertex []kernel.Vec2, samples, bothEnds, points int32, scale float32) (loop []kernel.Vec2, crossings int32) {
	n := int32(len(vertex))
	loop = make([]kernel.Vec2, points)
	boxes := (points + centerline.Block - 1) / centerline.Block
	found := []int32{-1}
	through(kernel.Group{}, []int32{1, 0}, []int32{n}, n, samples, bothEnds, points, boxes, scale, vertex,
		make([]kernel.Vec2, n*samples), make([]float32, n*samples),
		make([]kernel.Vec2, boxes), make([]kernel.Vec2, boxes), found, loop)
	return loop, found[0]
}

// distance is that of p to the nearest edge of the closed polygon.
func distance(p kernel.Vec2, polygon []kernel.Vec2) float64 {
	nearest := math.Inf(1)
	for i, a := range polygon {
		edge := polygon[(i+1)%len(polygon)].Sub(a)
		t := kernel.Clamp(p.Sub(a).Dot(edge)/max(edge.Dot(edge), 1e-12), 0, 1)
		nearest = min(nearest, float64(p.Sub(a.Add(edge.Scale(t))).Len()))
	}
	return nearest
}

// A loop that does not cross itself is the spline, which meets its vertices. bothEnds repeats points and changes
// nothing else.
func TestThroughPolygon(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		vertex := make([]kernel.Vec2, rapid.IntRange(4, 14).Draw(t, "vertices"))
		for i := range vertex {
			sin, cos := kernel.Sincos(2 * math.Pi * float32(i) / float32(len(vertex)))
			vertex[i] = kernel.V2(cos, sin).Scale(rapid.Float32Range(0.8, 1.1).Draw(t, "radius"))
		}
		loop, crossings := draw(vertex, 30, 0, 400, 0)
		assert.Zero(t, crossings)
		for _, v := range vertex {
			assert.Less(t, distance(v, loop), 2e-3)
		}
		assert.Equal(t, vertex[0], loop[0])
		same, _ := draw(vertex, 31, 1, 400, 0)
		for i := range loop {
			assert.Less(t, float64(loop[i].Sub(same[i]).Len()), 1e-5)
		}
	})
}

// The straight polygon replaces a spline that crosses itself.
func TestThroughStar(t *testing.T) {
	star := make([]kernel.Vec2, 5)
	for i := range star {
		sin, cos := kernel.Sincos(4 * math.Pi * float32(i) / 5)
		star[i] = kernel.V2(3+2*cos, 2*sin)
	}
	for bothEnds := range int32(2) {
		loop, crossings := draw(star, 20, bothEnds, 100, 0)
		assert.EqualValues(t, 5, crossings)
		for _, p := range loop {
			assert.Less(t, distance(p, star), 1e-6)
		}
	}
}

// With a scale the longer side of the box is 1.44 scale, around the origin, for splines and polygons.
func TestThroughFits(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		scale := rapid.Float32Range(0.01, 100).Draw(t, "scale")
		vertex := make([]kernel.Vec2, rapid.IntRange(3, 9).Draw(t, "vertices"))
		for i := range vertex {
			vertex[i] = kernel.V2(rapid.Float32Range(-5, 5).Draw(t, "x"), rapid.Float32Range(0, 9).Draw(t, "y"))
		}
		vertex[0].X, vertex[1].X = -6, 6
		loop, _ := draw(vertex, 12, 0, 64, scale)
		lo, hi := centerline.BoundingBox(64, 0, loop)
		assert.InEpsilon(t, 1.44*scale, max(hi.X-lo.X, hi.Y-lo.Y), 1e-5)
		assert.InDelta(t, 0, hi.X+lo.X, 1e-4*float64(scale))
		assert.InDelta(t, 0, hi.Y+lo.Y, 1e-4*float64(scale))
	})
}
