// Package distancefield holds the kernels that bake a grid of signed distances from the borders of a track, and that
// test boxes against it (docs/spec/course.md, C-20, C-74, C-75).
//
// A cell needs its least distance from each border, and on which side of it it is. The search for both goes through the
// index of package polyline, which is built first, for blocks of 4*4 cells at once, and has the bits of a scan of all
// segments. A node of the index is passed over if its box is too far away to be the nearest for any cell of the block.
// For the side, the crossings of a ray are counted: a node to the right of a cell is crossed an odd number of times if
// and only if its first and last points are on different sides of the ray, and a node to the left, above or below is
// never crossed.
package distancefield
