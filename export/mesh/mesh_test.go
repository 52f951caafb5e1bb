package mesh_test

import (
	"context"
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/trackgen-go/trackgen/backend"
	_ "github.com/trackgen-go/trackgen/backend/cpu"
	"github.com/trackgen-go/trackgen/export/mesh"
	"github.com/trackgen-go/trackgen/heightfield"
	"github.com/trackgen-go/trackgen/kernel"
	"github.com/trackgen-go/trackgen/track"
	"github.com/trackgen-go/trackgen/track/tracktest"
)

// courses generates tracks with hills and bakes the ground around them.
func courses(t testing.TB, envs, resolution int) (*track.Batch, *heightfield.Grid) {
	t.Helper()
	ctx := context.Background()
	device, err := backend.Open("cpu")
	require.NoError(t, err)
	defer func() { require.NoError(t, device.Close()) }()
	g, err := track.NewGenerator(device, tracktest.Config(track.Bezier, envs, func(c *track.Config) {
		c.Elevation.Profile, c.Elevation.Min, c.Elevation.Max = "random_walk", -0.3, 0.3
		c.Elevation.MaxStep, c.Candidates = 0.4, 8
		c.Variation.RandomDirection = true
	}))
	require.NoError(t, err)
	defer func() { require.NoError(t, g.Close()) }()
	batch, err := g.Track().Batch(ctx)
	require.NoError(t, err)
	require.Equal(t, envs, batch.NumValid())
	c := heightfield.DefaultConfig()
	c.Resolution, c.Blend.Mode = resolution, heightfield.Smooth
	grids, err := heightfield.Bake(ctx, device, batch, c)
	require.NoError(t, err)
	return batch, grids
}

// checkSurface checks that a mesh is one surface: each edge is in two triangles, once in either direction, but for
// those of the boundary, of which there are the given number. No triangle is upside down.
func checkSurface(t *testing.T, m *mesh.Mesh, boundary int) {
	t.Helper()
	edges := map[[2]uint32]int{}
	for i, tri := range m.Triangles {
		for k := range tri {
			require.Less(t, int(tri[k]), len(m.Vertices))
			edges[[2]uint32{tri[k], tri[(k+1)%3]}]++
		}
		a, b, c := m.Vertices[tri[0]], m.Vertices[tri[1]], m.Vertices[tri[2]]
		area := (b[0]-a[0])*(c[1]-a[1]) - (b[1]-a[1])*(c[0]-a[0])
		require.Greater(t, area, 0.0, "triangle %d of %s", i, m.Name)
	}
	open := 0
	for edge, uses := range edges {
		require.Equal(t, 1, uses, "%s uses edge %v twice in one direction", m.Name, edge)
		if edges[[2]uint32{edge[1], edge[0]}] == 0 {
			open++
		}
	}
	assert.Equal(t, boundary, open, m.Name)
	for _, n := range m.Normals {
		require.InDelta(t, 1, math.Hypot(math.Hypot(n[0], n[1]), n[2]), 1e-9)
		require.Greater(t, n[2], 0.0)
	}
	require.Len(t, m.Normals, len(m.Vertices))
}

// groundAt returns the height of the ground of a mesh of side*side vertices at a place on it.
func groundAt(m *mesh.Mesh, side int, x, y float64) float64 {
	first, last := m.Vertices[0], m.Vertices[len(m.Vertices)-1]
	u := (x - first[0]) / (last[0] - first[0]) * float64(side-1)
	v := (y - first[1]) / (last[1] - first[1]) * float64(side-1)
	i, j := min(int(u), side-2), min(int(v), side-2)
	u, v = u-float64(i), v-float64(j)
	at := func(i, j int) float64 { return m.Vertices[j*side+i][2] }
	if u >= v { // the triangle with the corner (i+1, j)
		return at(i, j) + u*(at(i+1, j)-at(i, j)) + v*(at(i+1, j+1)-at(i+1, j))
	}
	return at(i, j) + v*(at(i, j+1)-at(i, j)) + u*(at(i+1, j+1)-at(i, j+1))
}

// checkBelow checks that the ground is below the road everywhere, by gap, at places all over each triangle.
func checkBelow(t *testing.T, road, ground *mesh.Mesh, side int, gap float64) {
	t.Helper()
	const parts = 6
	for i, tri := range road.Triangles {
		a, b, c := road.Vertices[tri[0]], road.Vertices[tri[1]], road.Vertices[tri[2]]
		for j := range parts + 1 {
			for k := range parts + 1 - j {
				u, v := float64(j)/parts, float64(k)/parts
				var p [3]float64
				for axis := range p {
					p[axis] = a[axis]*(1-u-v) + b[axis]*u + c[axis]*v
				}
				require.LessOrEqual(t, groundAt(ground, side, p[0], p[1]), p[2]-gap+1e-9, "triangle %d", i)
			}
		}
	}
}

// The road and the ground are surfaces of the right size, and the ground is below the road and nowhere else changed.
func TestCourse(t *testing.T) {
	for _, side := range []int{8, 40} {
		batch, grids := courses(t, 4, side)
		for e := range batch.Envs {
			n := int(batch.Count[e])
			meshes, err := mesh.Course(batch, e, grids, mesh.Options{Scale: 50})
			require.NoError(t, err)
			require.Len(t, meshes, 2)
			road, ground := &meshes[0], &meshes[1]
			require.Len(t, road.Vertices, 3*n)
			require.Len(t, road.Triangles, 4*n)
			checkSurface(t, road, 2*n)
			for row, line := range [][]kernel.Vec3{batch.Outer, batch.Center, batch.Inner} {
				for i, p := range batch.Points(line, e) {
					require.Equal(t, [3]float64{50 * float64(p.X), 50 * float64(p.Y), 50 * float64(p.Z)},
						road.Vertices[3*i+row])
				}
			}
			require.Len(t, ground.Vertices, side*side)
			require.Len(t, ground.Triangles, 2*(side-1)*(side-1))
			checkSurface(t, ground, 4*(side-1))
			checkBelow(t, road, ground, side, 0.1) // the road is 10 m wide
			kept := 0
			for i, z := range grids.Of(e) {
				require.LessOrEqual(t, ground.Vertices[i][2], 50*float64(z))
				if ground.Vertices[i][2] == 50*float64(z) {
					kept++
				}
			}
			assert.Greater(t, kept, side*side/20, "vertices that are not lowered")
		}
	}
}

// The ground is below a banked road, and below the lower one of two roads on a bridge.
func TestGroundIsBelowBankedRoads(t *testing.T) {
	batch, grids := courses(t, 2, 32)
	for i := range batch.Outer {
		batch.Outer[i].Z += 0.08
		batch.Inner[i].Z -= 0.05
	}
	meshes, err := mesh.Course(batch, 1, grids, mesh.Options{Gap: 0.003})
	require.NoError(t, err)
	checkBelow(t, &meshes[0], &meshes[1], 32, 0.003)
}

// What cannot be a mesh is refused, with what is wrong.
func TestRefused(t *testing.T) {
	batch, grids := courses(t, 2, 8)
	for want, o := range map[string]mesh.Options{
		"scale is -1: must be above 0 and up to 1e9":  {Scale: -1},
		"scale is NaN: must be above 0 and up to 1e9": {Scale: math.NaN()},
		"scale is 1e+10":                {Scale: 1e10},
		"gap is -0.1: must be 0 to 1e9": {Gap: -0.1},
		"gap is NaN: must be 0 to 1e9":  {Gap: math.NaN()},
	} {
		_, err := mesh.Course(batch, 0, grids, o)
		require.ErrorContains(t, err, want)
		require.ErrorIs(t, err, backend.ErrInvalid)
	}
	for _, e := range []int{-1, 2} {
		_, err := mesh.Course(batch, e, grids, mesh.Options{})
		require.ErrorContains(t, err, "must be one of the batch")
	}
	_, err := mesh.Course(nil, 0, grids, mesh.Options{})
	require.ErrorIs(t, err, backend.ErrInvalid)
	_, err = mesh.Course(batch, 0, &heightfield.Grid{Envs: 1}, mesh.Options{})
	require.ErrorContains(t, err, "envs of grids is 1: must be 2")
	grids.Of(1)[5] = kernel.NaN()
	_, err = mesh.Course(batch, 1, grids, mesh.Options{})
	require.ErrorContains(t, err, "mesh: env 1 has no ground: cell (5, 0) of its grid is at [")
	require.ErrorContains(t, err, " NaN] m; expected numbers that are finite as float32, which a valid track has")
	for _, wrong := range []float32{kernel.NaN(), float32(math.Inf(1)), 1e38} {
		at := batch.Center[3].Y
		batch.Center[3].Y = wrong
		_, err = mesh.Course(batch, 0, grids, mesh.Options{Scale: 10})
		require.ErrorContains(t, err, "mesh: env 0 has no road: point 3 of its centreline is [")
		require.ErrorContains(t, err, " m; expected numbers that are finite as float32")
		batch.Center[3].Y = at
	}
	batch.Count[0] = 2
	_, err = mesh.Course(batch, 0, nil, mesh.Options{})
	require.EqualError(t, err, "mesh: env 0 has 2 points, and a road needs 3")
	var none *mesh.NoMeshError
	require.ErrorAs(t, err, &none)
	require.ErrorIs(t, err, backend.ErrInvalid)
}

// On the road, the heights of a height field are those of the road, to the change of height between two points.
func TestHeightsOnTheRoad(t *testing.T) {
	batch, grids := courses(t, 3, 96)
	worst := 0.0
	for e := range batch.Envs {
		meshes, err := mesh.Course(batch, e, nil, mesh.Options{})
		require.NoError(t, err)
		road := &meshes[0]
		rise, n := 0.0, int(batch.Count[e])
		for i := range n {
			rise = max(rise, math.Abs(road.Vertices[3*((i+1)%n)+1][2]-road.Vertices[3*i+1][2]))
		}
		cells := 0
		for i, z := range grids.Of(e) {
			x, y := grids.Middle(e, i%96, i/96)
			for _, tri := range road.Triangles {
				height, inside := heightIn(road.Vertices[tri[0]], road.Vertices[tri[1]], road.Vertices[tri[2]], x, y)
				if inside {
					cells++
					worst = max(worst, math.Abs(height-float64(z))/rise)
				}
			}
		}
		assert.Greater(t, cells, 500)
	}
	assert.Less(t, worst, 0.5, "in changes of height between two points")
}

// heightIn returns the height of a triangle at a place, and whether the place is in it.
func heightIn(a, b, c [3]float64, x, y float64) (height float64, inside bool) {
	area := (b[0]-a[0])*(c[1]-a[1]) - (b[1]-a[1])*(c[0]-a[0])
	u := ((x-a[0])*(c[1]-a[1]) - (y-a[1])*(c[0]-a[0])) / area
	v := ((b[0]-a[0])*(y-a[1]) - (b[1]-a[1])*(x-a[0])) / area
	return a[2] + u*(b[2]-a[2]) + v*(c[2]-a[2]), u >= 0 && v >= 0 && u+v <= 1
}
