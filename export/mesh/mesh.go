package mesh

import (
	"fmt"
	"math"

	"github.com/trackgen-go/trackgen/backend"
	"github.com/trackgen-go/trackgen/heightfield"
	"github.com/trackgen-go/trackgen/track"
)

// Mesh is a surface of triangles.
type Mesh struct {
	Name     string
	Material Material

	Vertices  [][3]float64 // metres
	Normals   [][3]float64 // of unit length, one for each vertex
	Triangles [][3]uint32  // indices of vertices, counter-clockwise as seen from above
}

// Material is the colour of a mesh.
type Material struct {
	Name  string
	Color [3]float64 // red, green and blue, 0 to 1, as displays show them (sRGB)
}

// Materials of the meshes of Course.
var (
	Asphalt = Material{Name: "asphalt", Color: [3]float64{0.22, 0.22, 0.24}}
	Grass   = Material{Name: "grass", Color: [3]float64{0.36, 0.52, 0.27}}
)

// Options say how Course makes meshes.
type Options struct {
	// Scale: metres of a track unit, above 0 and up to 1e9. The zero value means 1.
	Scale float64
	// Gap: how far the ground is below the road where they meet, in metres, 0 to 1e9. The zero value means a hundredth of
	// the mean width of the road.
	Gap float64
}

// NoMeshError reports a track that has no mesh, because it has too few points or no heights, or is not valid, or
// because a coordinate of it is not finite. It matches backend.ErrInvalid.
type NoMeshError struct {
	Env    int
	Reason string
}

func (e *NoMeshError) Error() string { return fmt.Sprintf("mesh: env %d %s", e.Env, e.Reason) }

// Is matches backend.ErrInvalid.
func (e *NoMeshError) Is(target error) bool { return target == backend.ErrInvalid }

// Course returns the meshes of env e of a batch: "road", and "ground" if grids is not nil. grids has the height fields
// of the batch.
//
// It returns a *backend.ArgumentError for wrong options, or for grids of other envs, and a *NoMeshError for a track
// that cannot be a mesh.
func Course(b *track.Batch, e int, grids *heightfield.Grid, o Options) ([]Mesh, error) {
	if err := o.check(); err != nil {
		return nil, err
	}
	switch {
	case b == nil || e < 0 || e >= b.Envs:
		return nil, &backend.ArgumentError{Op: "mesh", Argument: "env", Value: e, Allowed: "one of the batch"}
	case grids != nil && grids.Envs != b.Envs:
		return nil, &backend.ArgumentError{Op: "mesh", Argument: "envs of grids", Value: grids.Envs,
			Allowed: fmt.Sprintf("%d, those of the batch", b.Envs)}
	case b.Count[e] < 3:
		return nil, &NoMeshError{Env: e, Reason: fmt.Sprintf("has %d points, and a road needs 3", b.Count[e])}
	}
	if o.Scale == 0 {
		o.Scale = 1
	}
	road := roadOf(b, e, o.Scale)
	if i, bad := road.notFinite(); bad {
		return nil, &NoMeshError{Env: e, Reason: fmt.Sprintf("has no road: point %d of its %s is %v m; "+
			"expected numbers that are finite as float32", i/rows, lineNames[i%rows], road.Vertices[i])}
	}
	if grids == nil {
		return []Mesh{road}, nil
	}
	if o.Gap == 0 {
		o.Gap = meanWidth(&road) / 100
	}
	ground, err := groundOf(grids, e, o, &road)
	if err != nil {
		return nil, err
	}
	return []Mesh{road, ground}, nil
}

// check returns an error for wrong options.
func (o Options) check() error {
	const most = 1e9
	if o.Scale != 0 && !(o.Scale > 0 && o.Scale <= most) {
		return &backend.ArgumentError{Op: "mesh", Argument: "scale", Value: o.Scale, Allowed: "above 0 and up to 1e9"}
	}
	if !(o.Gap >= 0 && o.Gap <= most) {
		return &backend.ArgumentError{Op: "mesh", Argument: "gap", Value: o.Gap, Allowed: "0 to 1e9"}
	}
	return nil
}

// notFinite returns the first vertex with a coordinate that is not finite as float32, as files have it.
func (m *Mesh) notFinite() (vertex int, bad bool) {
	for i, v := range m.Vertices {
		for _, c := range v {
			if !(math.Abs(c) <= math.MaxFloat32) {
				return i, true
			}
		}
	}
	return 0, false
}

// orient turns all triangles over if the sum of their areas in plan view is negative.
func (m *Mesh) orient() {
	area := 0.0
	for _, t := range m.Triangles {
		area += planArea(m.Vertices[t[0]], m.Vertices[t[1]], m.Vertices[t[2]])
	}
	if area < 0 {
		for i, t := range m.Triangles {
			m.Triangles[i] = [3]uint32{t[0], t[2], t[1]}
		}
	}
}

// planArea returns twice the signed area of a triangle in plan view.
func planArea(a, b, c [3]float64) float64 {
	return float64((b[0]-a[0])*(c[1]-a[1])) - float64((b[1]-a[1])*(c[0]-a[0]))
}

// setNormals gives each vertex the mean normal of its triangles, weighted by their areas. A vertex without area points
// upwards.
func (m *Mesh) setNormals() {
	m.Normals = make([][3]float64, len(m.Vertices))
	for _, t := range m.Triangles {
		n := normalOf(m.Vertices[t[0]], m.Vertices[t[1]], m.Vertices[t[2]])
		for _, v := range t {
			for axis := range n {
				m.Normals[v][axis] += n[axis]
			}
		}
	}
	for v, n := range m.Normals {
		length := math.Hypot(math.Hypot(n[0], n[1]), n[2])
		if !(length > 0) {
			n, length = [3]float64{0, 0, 1}, 1
		}
		m.Normals[v] = [3]float64{n[0] / length, n[1] / length, n[2] / length}
	}
}

// normalOf returns the cross product of two sides of a triangle.
func normalOf(a, b, c [3]float64) [3]float64 {
	ux, uy, uz := b[0]-a[0], b[1]-a[1], b[2]-a[2]
	vx, vy, vz := c[0]-a[0], c[1]-a[1], c[2]-a[2]
	return [3]float64{
		float64(uy*vz) - float64(uz*vy), float64(uz*vx) - float64(ux*vz), float64(ux*vy) - float64(uy*vx),
	}
}
