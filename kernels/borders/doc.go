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
// search begins with a bound of the candidate of a segment that is probably near, such as the last one. It changes what
// is visited and not what is found.
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
// The depth of a corner is a search of its own, for corners off the road alone. Its bound has the operations of the
// distance, which are monotonic under rounding, and needs no slack.
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
