// Package heightfield holds the kernels that bake a grid of ground heights from a track (docs/spec/course.md, C-20 to
// C-22).
//
// A cell takes the height of the nearest point of the centreline. To find it without a test of every segment, eight
// successive segments share a bounding box (a leaf), and eight leaves share one (a node). A box is skipped if it is
// farther than the nearest segment so far. The result has the bits of a search through all segments: with rounding to
// nearest, sums, differences and products are monotonic, so the distance to a box, computed with the operations of the
// distance to a segment in it, is never above that distance.
package heightfield
