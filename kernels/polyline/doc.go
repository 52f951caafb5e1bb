// Package polyline holds an index of closed lines, by which kernels find the segments near a place without a visit to
// every segment. The index is built once for each generation of a track, and lies in one array of four-component
// elements, together with the points. So a kernel that searches needs that array, and no other array of the line.
//
// # Layout
//
// An env has the same number of lines, for instance the inner border, the outer border and the centreline. Line k of
// env e begins at element (e*lines + k) * Size(maxPoints), where maxPoints is the stride of the points:
//
//	0               X: code of the number of points n, 0 for a line of fewer than 3; so a search needs no other array.
//	                Y: the largest magnitude of a coordinate of the boxes in plan view
//	1 .. n          points: X, Y, Z, and W the arc length to the point, or 0 (see Measure)
//	n+1             the first point again, with the length of the closed line in W: segment i joins point i and the next
//	maxPoints+2 ..  bounds in plan view of the leaves, in order, one element each: low X, low Y, high X, high Y
//	..              notes, two elements for each leaf, for what a caller wants to know there, such as separate writes
//	..              nodes of a tree, two elements each
//
// There is room for the leaves of maxPoints points. All elements between are 0. A code is a float whose mantissa holds
// an integer below 2^23.
//
// A node belongs to a contiguous range of segments. It has a box that contains them:
//
//	first   X, Y: the low corner in plan view; Z, W: the high corner
//	second  X, Y: the lowest and the highest z; Z: code of the first leaf; W: code of the number of leaves
//
// The first element of a leaf is also that of its bounds, so that a search of a few successive leaves reads them alone.
// A leaf has LeafSegments segments, or fewer at the end of the line. A node of k > 1 leaves has two children, of
// (k+1)/2 and k/2 leaves. Nodes are in the order of a visit that goes to the first child before the second: the first
// child of node i is node i+1, and the node after the subtree of node i is i + 2k - 1. So a search needs no stack: it
// goes from node 0 to the next node, or to the node after the subtree (Skip).
//
// # Boxes
//
// A box is a little larger than the segments. Let M be the largest magnitude of a coordinate of the segments of a leaf
// on an axis; its box is larger by M/2^19 + 1/2^40 on both sides of this axis. So the box also contains:
//
//   - every point a + (b-a)*t that is computed in float32 for 0 <= t <= 1, because its error is below 6 M/2^24,
//   - every x = ax + (y-ay)*(bx-ax)/(by-ay) that is computed for a y from ay to by, because its error is below
//     16 M/2^24, and where the product is a denormal number, by at most 1/2^150/|by-ay| more.
//
// # Chords
//
// The chord of a leaf is the segment from its first point to its last. The note of kernel separate holds the bend of
// the leaf: how far its points are from the chord, and so, since the distance from a segment is convex, how far its
// segments are. A place has nothing nearer on the leaf if it is farther from the chord than the best distance and the
// bend together. Let u = 1/2^24, M the largest magnitude of a coordinate of the leaf, P the sum of those of the place,
// and R = M + P. Then, in float32,
//
//   - the part of the chord is off by at most 20 u R along it (differences 2 u R and 5 u R, products 11 u R, quotient
//     2 u R), and the distance from a point at a given part by 14 u R; so that from the chord is at most 34 u R too
//     large,
//   - the distance from the foot on a segment is at most 14 u R too small, and the bend 18 u M,
//   - root, sums and square that are compared add 4 u of a distance below 1.8 R.
//
// These are at most 55 u P + 73 u M. Slack has 64 u P for the place, and the bend 128 u M + 1/2^40, which also covers
// what denormal numbers lose. The bend is infinite for coordinates above Limit. A leaf with a NaN has segments that are
// never nearest; its others are bounded by the points that there are, or by a chord whose distance is a NaN and passes
// over nothing.
//
// # Trust
//
// A leaf that arithmetic cannot be trusted with has an infinite box, so that no search passes over it: one with a
// coordinate that is not finite or above Limit, or a segment with 0 < |by-ay| < 1/2^108.
package polyline
