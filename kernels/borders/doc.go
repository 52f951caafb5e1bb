// Package borders holds the kernels that test oriented boxes, such as cars, against the borders of a track
// (docs/spec/course.md, C-70 to C-73), and the motion of boxes between two steps (C-71).
//
// # Why the index gives every bit of the scan
//
// The scan visits all segments, in order, and keeps the first of the smallest candidates. The search passes over some
// segments. Three facts make its answers those of the scan, in float32 and not only in exact arithmetic.
//
// The order of visits does not matter: the search keeps the candidate with the smallest pair of value and order.
//
// Only segments are passed over whose candidate is larger than one that exists. Let S be the sum of the coordinates of
// the box, its half extents and the largest coordinate of the line, and u = 1/2^24 the rounding of one operation. A
// candidate is the distance of a corner from a segment, that of a vertex from the box, or 0 if slab finds that they
// meet. It has at most 16 operations on numbers below S, with factors up to 1. So what is computed is above the true
// distance of box and segment minus 32 u S; slab also allows 1e-12 where it takes a segment as parallel, and the root
// of a square that is too small for float32 may be 1e-22 too small. A node, or a segment, is passed over if it is
// farther from the bounds of the box than the smallest candidate plus slack, where slack is 64 u S + 1e-11. The
// search begins with a segment that is probably near, such as the last one. It changes what is visited and not what is
// found. For the same reason, slab is not asked about a segment that is farther than slack on an axis of the box.
//
// The parity of rays is exact. What is passed over is apart from all corners by slack at least, and a crossing is
// computed within 16 u S of its segment (see package polyline). To the left of the corners, or above or below them, it
// has no crossings. To their right, it has one for each segment whose ends are on different sides of the corner; as
// the segments of a node follow each other, the number is odd if and only if its first and its last point are on
// different sides.
//
// Where these facts do not hold, nothing is passed over: for a box, or a line, with a number above polyline.Limit, or
// with one that is no number, slack is infinite.
//
// The depth of a corner is a search of its own, for corners off the road alone. In the tree, its bound has the
// operations of the distance, which are monotonic under rounding, and needs no slack; among the leaves of runs, it has
// a window.
//
// # Vicinities
//
// A search seldom needs the tree. Kernel surround gives each leaf an area: the boxes of the leaf of both borders, and a
// part of the width of the road around. It also writes which leaves of both borders meet that area, as up to two runs
// of successive leaves for each border. A search whose window lies in the area of the leaf where it begins visits the
// runs alone. All other leaves are outside of the window, so they are passed over as nodes are.
//
// What remains is the parity of the crossings with the leaves outside of the area. Such a leaf has no crossings if it
// is above or below the area, or to its left. If it is to the right, their number is odd if and only if its first and
// its last point are on different sides of the corner. Two successive leaves outside share a point v. If both are to
// the right, what v adds to one cancels what it adds to the other. If only one of them is, v is to the right too, so
// the other leaf is above or below the area, and v with it: v is on the same side of all corners in the area. So the
// parity is a constant, but for those ends of runs whose neighbour outside is to the right: each of them changes it
// for the corners below. The constant follows from the ray of one point in the area. All of this compares numbers and
// computes none, so it is exact.
//
// # Clearances
//
// The nearest segment of one border often shows that the other border is too far away to matter. Kernel surround gives
// each leaf of a border its clearance: a number D that is not above its distance from the other border, up to 32 u S,
// and negative if the leaf is inside that border. It is the larger of the distance of the bounds of two leaves and of
// the gap between their points along the normal of one of them, for the leaf for which this is least.
//
// Let q be the point of the nearest segment from which the box has the distance d, up to 32 u S, and let e be the
// length of its diagonal. Every point of the hull of the corners is within d + e of q. So what is computed for a
// segment of the other border is at least |D| - d - e - 100 u S, and it is not needed if that is above d. The search
// leaves out the other border if |D| > 2 (d + e/2 + 2 slack), which is 4 slack, 256 u S, more than that. The hull and
// the ways from q to it are then apart from the other border by more than slack, and so is the leaf, on which the first
// point is joined to q. A connected set that does not meet a closed line is inside of it or outside of it as a whole;
// the rays of the corners, and that of the first point, are computed as they are (see above), so all corners are where
// that point is.
//
// # Motion
//
// The first contact is computed from intervals of time in which box and segment overlap along the axes of the box and
// along the normal of the segment. A node is passed over if the bounds of the box, larger by slack, do not reach its
// box before the first contact so far. At the time that is computed, the shapes overlap along each axis up to 16 u S,
// so that their distance is below 32 u S, and the larger bounds do reach the node by then. A border is passed over if
// the box at its end is farther from it than it has moved, by slack and the length of a segment that counts as a
// point.
package borders
