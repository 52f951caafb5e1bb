package mesh

import (
	"bufio"
	"fmt"
	"io"
	"strconv"
)

// WriteOBJ writes meshes as a Wavefront OBJ file: an object with a name for each, vertices, normals and faces. Numbers
// have the digits that give the same float32 values back. library is the name of the file of materials, which WriteMTL
// writes; "" means none. It returns the errors of WriteGLB.
func WriteOBJ(w io.Writer, meshes []Mesh, library string) error {
	if err := checkAll(meshes); err != nil {
		return err
	}
	out := bufio.NewWriter(w)
	fmt.Fprintf(out, "# metres, z upwards, faces counter-clockwise\n")
	if library != "" {
		fmt.Fprintf(out, "mtllib %s\n", library)
	}
	first := uint32(1) // OBJ counts from 1, through all objects
	var line []byte
	vectors := func(keyword string, list [][3]float64) {
		for _, v := range list {
			line = append(line[:0], keyword...)
			for _, c := range v {
				line = strconv.AppendFloat(append(line, ' '), c, 'g', -1, 32)
			}
			out.Write(append(line, '\n')) //nolint:errcheck // Flush returns the error
		}
	}
	for i := range meshes {
		m := &meshes[i]
		fmt.Fprintf(out, "o %s\nusemtl %s\n", m.Name, m.Material.Name)
		vectors("v", m.Vertices)
		vectors("vn", m.Normals)
		for _, t := range m.Triangles {
			line = append(line[:0], 'f')
			for _, v := range t {
				line = strconv.AppendUint(append(line, ' '), uint64(first+v), 10)
				line = strconv.AppendUint(append(line, "//"...), uint64(first+v), 10)
			}
			out.Write(append(line, '\n')) //nolint:errcheck // Flush returns the error
		}
		first += uint32(len(m.Vertices))
	}
	return out.Flush()
}

// WriteMTL writes the materials of meshes, for the library of WriteOBJ.
func WriteMTL(w io.Writer, meshes []Mesh) error {
	for _, m := range meshes {
		c := m.Material.Color
		_, err := fmt.Fprintf(w, "newmtl %s\nKd %g %g %g\nKs 0 0 0\nillum 1\n", m.Material.Name, c[0], c[1], c[2])
		if err != nil {
			return err
		}
	}
	return nil
}
