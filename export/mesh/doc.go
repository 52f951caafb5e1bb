// Package mesh makes triangle meshes of a track, its road and the ground around it, and writes them as Wavefront OBJ
// and as binary glTF, for simulators and 3D programs.
//
// The road is a strip along the track: at each point the outer border, the centreline and the inner border, with their
// heights, so a banked road is banked. The ground is a grid with a vertex in the middle of each cell of a height field.
//
// So that the ground does not show through the road, it is lower where they meet: in each square of the grid that the
// road touches, the ground is at least Options.Gap below the lowest place of the road in the square. Elsewhere it has
// the heights of the field. The road is never moved.
//
// Coordinates are in metres, with z upwards. OBJ files keep that; glTF files have y upwards, as their standard says:
// (x, y, z) becomes (x, z, -y). Faces run counter-clockwise as seen from above.
package mesh
