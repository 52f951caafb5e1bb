package mesh_test

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/qmuntal/gltf"
	"github.com/qmuntal/gltf/modeler"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/trackgen-go/trackgen/export/mesh"
	"github.com/trackgen-go/trackgen/internal/required"
)

// sample returns the meshes of a course.
func sample(t *testing.T) []mesh.Mesh {
	t.Helper()
	batch, grids := courses(t, 1, 12)
	meshes, err := mesh.Course(batch, 0, grids, mesh.Options{Scale: 20})
	require.NoError(t, err)
	return meshes
}

// An OBJ file has the float32 values of the meshes, and faces that count through all objects.
func TestOBJ(t *testing.T) {
	meshes := sample(t)
	var text, library bytes.Buffer
	require.NoError(t, mesh.WriteOBJ(&text, meshes, "course.mtl"))
	require.NoError(t, mesh.WriteMTL(&library, meshes))
	assert.Equal(t, "newmtl asphalt\nKd 0.22 0.22 0.24\nKs 0 0 0\nillum 1\n"+
		"newmtl grass\nKd 0.36 0.52 0.27\nKs 0 0 0\nillum 1\n", library.String())
	var found []string
	var vertices, normals [][3]float64
	var faces [][3]uint32
	lines := bufio.NewScanner(&text)
	for lines.Scan() {
		keyword, rest, _ := strings.Cut(lines.Text(), " ")
		var v [3]float64
		var f [6]uint32
		switch keyword {
		case "v", "vn":
			_, err := fmt.Sscan(rest, &v[0], &v[1], &v[2])
			require.NoError(t, err, rest)
			if keyword == "v" {
				vertices = append(vertices, v)
			} else {
				normals = append(normals, v)
			}
		case "f":
			_, err := fmt.Sscanf(rest, "%d//%d %d//%d %d//%d", &f[0], &f[1], &f[2], &f[3], &f[4], &f[5])
			require.NoError(t, err, rest)
			faces = append(faces, [3]uint32{f[0], f[2], f[4]})
			require.Equal(t, [3]uint32{f[1], f[3], f[5]}, [3]uint32{f[0], f[2], f[4]})
		default:
			found = append(found, lines.Text())
		}
	}
	assert.Equal(t, []string{"# metres, z upwards, faces counter-clockwise", "mtllib course.mtl", "o road",
		"usemtl asphalt", "o ground", "usemtl grass"}, found)
	first := uint32(1)
	for _, m := range meshes {
		for i := range m.Vertices {
			for axis := range 3 {
				require.Equal(t, float32(m.Vertices[i][axis]), float32(vertices[i][axis]))
				require.Equal(t, float32(m.Normals[i][axis]), float32(normals[i][axis]))
			}
		}
		for i, tri := range m.Triangles {
			require.Equal(t, [3]uint32{first + tri[0], first + tri[1], first + tri[2]}, faces[i])
		}
		vertices, normals = vertices[len(m.Vertices):], normals[len(m.Vertices):]
		faces, first = faces[len(m.Triangles):], first+uint32(len(m.Vertices))
	}
	assert.Empty(t, vertices)
	assert.Empty(t, faces)
	assert.Error(t, mesh.WriteOBJ(full{}, meshes, ""))
	assert.Error(t, mesh.WriteMTL(full{}, meshes))
	assert.Error(t, mesh.WriteGLB(full{}, meshes, ""))
}

// full is a writer without room.
type full struct{}

func (full) Write([]byte) (int, error) { return 0, os.ErrClosed }

// A glTF file has the meshes with y upwards, and the names.
func TestGLB(t *testing.T) {
	meshes := sample(t)
	var text bytes.Buffer
	require.NoError(t, mesh.WriteGLB(&text, meshes, "env-0"))
	var again bytes.Buffer
	require.NoError(t, mesh.WriteGLB(&again, meshes, "env-0"))
	assert.True(t, bytes.Equal(text.Bytes(), again.Bytes()), "the same meshes give the same bytes")
	doc := new(gltf.Document)
	require.NoError(t, gltf.NewDecoder(&text).Decode(doc))
	assert.Equal(t, "env-0", doc.Scenes[0].Name)
	assert.Equal(t, []int{0, 1}, doc.Scenes[0].Nodes)
	for i, m := range meshes {
		assert.Equal(t, m.Name, doc.Nodes[i].Name)
		primitive := doc.Meshes[*doc.Nodes[i].Mesh].Primitives[0]
		assert.Equal(t, m.Material.Name, doc.Materials[*primitive.Material].Name)
		positions, err := modeler.ReadPosition(doc, doc.Accessors[primitive.Attributes[gltf.POSITION]], nil)
		require.NoError(t, err)
		normals, err := modeler.ReadNormal(doc, doc.Accessors[primitive.Attributes[gltf.NORMAL]], nil)
		require.NoError(t, err)
		indices, err := modeler.ReadIndices(doc, doc.Accessors[*primitive.Indices], nil)
		require.NoError(t, err)
		require.Len(t, positions, len(m.Vertices))
		for k, v := range m.Vertices {
			n := m.Normals[k]
			require.Equal(t, [3]float32{float32(v[0]), float32(v[2]), float32(-v[1])}, positions[k])
			require.Equal(t, [3]float32{float32(n[0]), float32(n[2]), float32(-n[1])}, normals[k])
		}
		require.Len(t, indices, 3*len(m.Triangles))
		for k, tri := range m.Triangles {
			require.Equal(t, tri[:], indices[3*k:3*k+3])
		}
		bounds := doc.Accessors[primitive.Attributes[gltf.POSITION]]
		low := [3]float64{math.Inf(1), math.Inf(1), math.Inf(1)}
		for _, p := range positions {
			for axis := range low {
				low[axis] = min(low[axis], float64(p[axis]))
			}
		}
		assert.Equal(t, low[:], bounds.Min)
	}
}

// Trimesh reads the files, and finds the meshes in both. make test installs it.
func TestTrimeshReadsTheFiles(t *testing.T) {
	meshes := sample(t)
	here := t.TempDir()
	for name, write := range map[string]func(f *os.File) error{
		"a.obj": func(f *os.File) error { return mesh.WriteOBJ(f, meshes, "a.mtl") },
		"a.mtl": func(f *os.File) error { return mesh.WriteMTL(f, meshes) },
		"a.glb": func(f *os.File) error { return mesh.WriteGLB(f, meshes, "course") },
	} {
		f, err := os.Create(filepath.Join(here, name))
		require.NoError(t, err)
		require.NoError(t, write(f))
		require.NoError(t, f.Close())
	}
	const script = `
import sys, trimesh, numpy as np
obj = trimesh.load(sys.argv[1], process=False, group_material=False, split_object=True)
glb = trimesh.load(sys.argv[2], process=False)
for scene in (obj, glb):
    assert sorted(scene.geometry) == ["ground", "road"], list(scene.geometry)
    for name, count in zip(("road", "ground"), sys.argv[3:5]):
        mesh = scene.geometry[name]
        assert len(mesh.faces) == int(count), (name, len(mesh.faces))
        assert mesh.is_winding_consistent, name
for name in obj.geometry:
    flat, up = obj.geometry[name], glb.geometry[name]
    assert (flat.face_normals[:, 2] > 0).all() and (up.face_normals[:, 1] > 0).all(), name
    turned = flat.triangles[:, :, [0, 2, 1]] * [1, 1, -1]
    assert np.array_equal(turned.astype("f4"), up.triangles.astype("f4")), name
`
	required.Python(t, "numpy, trimesh", script, filepath.Join(here, "a.obj"), filepath.Join(here, "a.glb"),
		fmt.Sprint(len(meshes[0].Triangles)), fmt.Sprint(len(meshes[1].Triangles)))
}

// A mesh that no reader of the files would accept is refused.
func TestWritersRefuse(t *testing.T) {
	triangle := func() mesh.Mesh {
		return mesh.Mesh{Vertices: make([][3]float64, 3), Normals: make([][3]float64, 3), Triangles: [][3]uint32{{0, 1, 2}}}
	}
	for want, damage := range map[string]func(*mesh.Mesh){
		"number of triangles of mesh 1 is 0: must be 1 or more": func(m *mesh.Mesh) { m.Triangles = nil },
		"number of normals of mesh 1 is 2: must be 3":           func(m *mesh.Mesh) { m.Normals = m.Normals[1:] },
		"index of mesh 1 is 3: must be less than 3, the number": func(m *mesh.Mesh) { m.Triangles[0][1] = 3 },
		"a vertex of mesh 1 is [+Inf 0 0]: must be numbers":     func(m *mesh.Mesh) { m.Vertices[2][0] = math.Inf(1) },
	} {
		meshes := []mesh.Mesh{triangle(), triangle()}
		require.NoError(t, mesh.WriteOBJ(io.Discard, meshes, ""))
		require.NoError(t, mesh.WriteGLB(io.Discard, meshes, ""))
		damage(&meshes[1])
		require.ErrorContains(t, mesh.WriteOBJ(io.Discard, meshes, ""), want)
		require.ErrorContains(t, mesh.WriteGLB(io.Discard, meshes, ""), want)
	}
}
