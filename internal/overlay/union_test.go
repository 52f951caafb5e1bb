package overlay

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// areaOf returns the signed area of a ring.
func areaOf(ring []Point) (sum float64) {
	for i, a := range ring {
		b := ring[(i+1)%len(ring)]
		sum += (a.X*b.Y - b.X*a.Y) / 2
	}
	return sum
}

// total returns the area of polygons.
func total(polygons []Polygon) (sum float64) {
	for _, p := range polygons {
		sum += areaOf(p.Exterior)
		for _, hole := range p.Holes {
			sum += areaOf(hole)
		}
	}
	return sum
}

// square returns the two triangles of an axis-parallel square with its lower left corner at (x, y).
func square(x, y, side float64) []Triangle {
	a, b, c, d := Point{x, y}, Point{x + side, y}, Point{x + side, y + side}, Point{x, y + side}
	return []Triangle{{a, b, c}, {d, c, a}} // the second one is clockwise
}

func join(parts ...[]Triangle) (all []Triangle) {
	for _, part := range parts {
		all = append(all, part...)
	}
	return all
}

func TestUnion(t *testing.T) {
	t.Parallel()
	frame := func() (list []Triangle) { // 3 x 3 squares without the middle one
		for i := range 9 {
			if i != 4 {
				list = append(list, square(float64(i%3), float64(i/3), 1)...)
			}
		}
		return list
	}
	for _, c := range []struct {
		name      string
		triangles []Triangle
		area      float64
		holes     []int // of each polygon
	}{
		{"nothing", nil, 0, nil},
		{"a point", []Triangle{{{1, 1}, {1, 1}, {1, 1}}}, 0, nil},
		{"a line", []Triangle{{{0, 0}, {1, 1}, {2, 2}}}, 0, nil},
		{"a square", square(1, 1, 2), 4, []int{0}},
		{"twice the same", join(square(1, 1, 2), square(1, 1, 2)), 4, []int{0}},
		{"overlap", join(square(0, 0, 2), square(1, 1, 2)), 7, []int{0}},
		{"apart", join(square(0, 0, 1), square(5, 0, 2)), 5, []int{0, 0}},
		{"one inside another", join(square(0, 0, 9), square(2, 2, 1)), 81, []int{0}},
		{"a corner in common", join(square(0, 0, 1), square(1, 1, 1)), 2, []int{0, 0}},
		{"half a side in common", join(square(0, 0, 2), square(2, 1, 1)), 5, []int{0}},
		{"a frame", frame(), 8, []int{1}},
		{"a frame with an island", join(frame(), square(1.25, 1.25, 0.5)), 8.25, []int{1, 0}},
		{"an island that touches the frame in a corner", join(frame(), square(1, 1, 0.5)), 8.25, []int{1}},
		{"a hole that touches the border in a corner", join(square(0, 0, 1), square(1, 1, 1), square(2, 0, 1),
			square(1, -1, 1), square(0, 1, 1), square(2, 1, 1), square(2, -1, 1)), 7, []int{1}},
		{"a cross", []Triangle{{{-3, -1}, {3, -1}, {3, 1}}, {{-3, -1}, {3, 1}, {-3, 1}}, {{-1, -3}, {1, -3}, {1, 3}},
			{{-1, -3}, {1, 3}, {-1, 3}}}, 20, []int{0}},
	} {
		got, err := Union(c.triangles)
		require.NoError(t, err, c.name)
		var holes []int
		for _, p := range got {
			holes = append(holes, len(p.Holes))
		}
		assert.InDelta(t, c.area, total(got), 1e-6, c.name)
		assert.Equal(t, c.holes, holes, c.name)
		requireValid(t, c.name, got)
	}
}

// requireValid checks the rules of valid polygons: rings have the right direction and do not visit a point twice, and
// two edges share at most an end point. Rings of one polygon may share points.
func requireValid(t *testing.T, name string, polygons []Polygon) {
	t.Helper()
	type line struct{ a, b Point }
	var lines []line
	for _, p := range polygons {
		require.Positive(t, areaOf(p.Exterior), name)
		for i, ring := range append([][]Point{p.Exterior}, p.Holes...) {
			require.GreaterOrEqual(t, len(ring), 3, name)
			if i > 0 {
				require.Negative(t, areaOf(ring), name)
			}
			seen := map[Point]bool{}
			for k, a := range ring {
				require.False(t, seen[a], "%s: %v twice", name, a)
				seen[a] = true
				lines = append(lines, line{a, ring[(k+1)%len(ring)]})
			}
		}
	}
	// The coordinates of the tests have few bits, so these products are exact.
	side := func(l line, p Point) float64 { return (l.b.X-l.a.X)*(p.Y-l.a.Y) - (l.b.Y-l.a.Y)*(p.X-l.a.X) }
	between := func(l line, p Point) bool {
		return min(l.a.X, l.b.X) <= p.X && p.X <= max(l.a.X, l.b.X) && min(l.a.Y, l.b.Y) <= p.Y && p.Y <= max(l.a.Y, l.b.Y)
	}
	for i, l := range lines {
		for _, m := range lines[:i] {
			crosses := side(l, m.a)*side(l, m.b) < 0 && side(m, l.a)*side(m, l.b) < 0
			require.False(t, crosses, "%s: %v crosses %v", name, l, m)
			for _, p := range []Point{m.a, m.b} {
				require.False(t, p != l.a && p != l.b && side(l, p) == 0 && between(l, p), "%s: %v on %v", name, p, l)
			}
			for _, p := range []Point{l.a, l.b} {
				require.False(t, p != m.a && p != m.b && side(m, p) == 0 && between(m, p), "%s: %v on %v", name, p, m)
			}
		}
	}
}

// Random triangles give valid polygons, whose area is that of the places covered by a triangle.
func TestUnionOfRandomTriangles(t *testing.T) {
	t.Parallel()
	for seed := range uint64(300) {
		random := rand.New(rand.NewPCG(seed, 1))
		// On a coarse lattice, many corners lie on edges of others, and many edges lie on each other.
		lattice := []float64{4, 12, 1000, 1 << 20}[seed%4]
		place := func() Point {
			return Point{math.Floor(random.Float64() * lattice), math.Floor(random.Float64() * lattice)}
		}
		triangles := make([]Triangle, 1+random.IntN(30))
		for i := range triangles {
			triangles[i] = Triangle{place(), place(), place()}
		}
		got, err := Union(triangles)
		require.NoError(t, err)
		name := fmt.Sprintf("seed %d", seed)
		requireValid(t, name, got)
		for range 200 {
			p := Point{random.Float64() * lattice, random.Float64() * lattice}
			covered, near := coverage(triangles, p, lattice/1e5)
			if !near {
				require.Equal(t, covered, contains(got, p), "%s at %v", name, p)
			}
		}
	}
}

// coverage reports whether a triangle covers p, and whether p is so near to an edge that rounding may decide.
func coverage(triangles []Triangle, p Point, least float64) (covered, near bool) {
	for _, c := range triangles {
		right, left := 0, 0
		for i, a := range c {
			b := c[(i+1)%3]
			side := (b.X-a.X)*(p.Y-a.Y) - (b.Y-a.Y)*(p.X-a.X)
			if length := math.Hypot(b.X-a.X, b.Y-a.Y); math.Abs(side) <= least*length {
				near = true
			}
			if side > 0 {
				left++
			} else {
				right++
			}
		}
		covered = covered || left == 3 || right == 3
	}
	return covered, near
}

// contains reports whether p is in one of the polygons.
func contains(polygons []Polygon, p Point) (in bool) {
	for _, polygon := range polygons {
		for _, ring := range append([][]Point{polygon.Exterior}, polygon.Holes...) {
			for i, a := range ring {
				b := ring[(i+1)%len(ring)]
				if a.Y > p.Y != (b.Y > p.Y) && p.X < a.X+(p.Y-a.Y)/(b.Y-a.Y)*(b.X-a.X) {
					in = !in
				}
			}
		}
	}
	return in
}

// The union is the same wherever it lies and however large it is, to the step of the grid.
func TestUnionAnywhere(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ size, x, y float64 }{
		{1e-9, 0, 0}, {1, 1e7, -1e7}, {1e-5, 179.9, -84}, {5000, 432123.456, 5.4e6}, {1e6, 0, 1e30}, {1e30, 1, 1},
	} {
		list := join(square(c.x, c.y, 2*c.size), square(c.x+c.size, c.y+c.size, 2*c.size))
		got, err := Union(list)
		require.NoError(t, err)
		if c.y == 1e30 { // as float64, both squares are lines
			assert.Empty(t, got)
			continue
		}
		require.Len(t, got, 1)
		// The area is computed near the origin, because of its rounding far away.
		moved := make([]Point, len(got[0].Exterior))
		for i, p := range got[0].Exterior {
			moved[i] = Point{(p.X - c.x) / c.size, (p.Y - c.y) / c.size}
		}
		assert.InDelta(t, 7, areaOf(moved), 1e-5, "%v", c)
	}
}

func TestUnionOfATangle(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(1, 2))
	triangles := make([]Triangle, 20000)
	for i := range triangles {
		for k := range 3 {
			triangles[i][k] = Point{random.Float64(), random.Float64()}
		}
	}
	_, err := Union(triangles)
	assert.ErrorIs(t, err, ErrTangled)
}
