package mesh

import (
	"io"
	"math"

	"github.com/qmuntal/gltf"
	"github.com/qmuntal/gltf/modeler"
)

// WriteGLB writes meshes as a binary glTF 2.0 file: a node with a name for each, with positions, normals and a
// material. y is upwards, as the standard says: (x, y, z) becomes (x, z, -y). name is that of the scene.
// It returns a *backend.ArgumentError for a mesh without triangles, with other than one normal for each vertex, with an
// index without a vertex, or with a coordinate that is not finite.
func WriteGLB(w io.Writer, meshes []Mesh, name string) error {
	if err := checkAll(meshes); err != nil {
		return err
	}
	doc := gltf.NewDocument()
	doc.Asset.Generator = "TrackGen"
	doc.Scenes[0].Name = name
	for i := range meshes {
		m := &meshes[i]
		indices := make([]uint32, 0, 3*len(m.Triangles))
		for _, t := range m.Triangles {
			indices = append(indices, t[:]...)
		}
		roughness, metallic := 1.0, 0.0
		color := [4]float64{linear(m.Material.Color[0]), linear(m.Material.Color[1]), linear(m.Material.Color[2]), 1}
		doc.Materials = append(doc.Materials, &gltf.Material{Name: m.Material.Name,
			PBRMetallicRoughness: &gltf.PBRMetallicRoughness{BaseColorFactor: &color, MetallicFactor: &metallic,
				RoughnessFactor: &roughness}})
		doc.Meshes = append(doc.Meshes, &gltf.Mesh{Name: m.Name, Primitives: []*gltf.Primitive{{
			Indices:  gltf.Index(modeler.WriteIndices(doc, indices)),
			Material: gltf.Index(i),
			Attributes: gltf.PrimitiveAttributes{
				gltf.POSITION: modeler.WritePosition(doc, turned(m.Vertices)),
				gltf.NORMAL:   modeler.WriteNormal(doc, turned(m.Normals)),
			},
		}}})
		doc.Nodes = append(doc.Nodes, &gltf.Node{Name: m.Name, Mesh: gltf.Index(i)})
		doc.Scenes[0].Nodes = append(doc.Scenes[0].Nodes, i)
	}
	return gltf.NewEncoder(w).Encode(doc)
}

// turned returns vectors with y upwards.
func turned(list [][3]float64) [][3]float32 {
	turned := make([][3]float32, len(list))
	for i, v := range list {
		turned[i] = [3]float32{float32(v[0]), float32(v[2]), float32(-v[1])}
	}
	return turned
}

// linear converts a part of a colour from sRGB to a linear scale, as glTF has colours. It has four digits, so that the
// rounding errors of a processor show in no file.
func linear(c float64) float64 {
	const digits = 1e4
	if c <= 0.04045 {
		return math.Round(c/12.92*digits) / digits
	}
	return math.Round(math.Pow((c+0.055)/1.055, 2.4)*digits) / digits
}
