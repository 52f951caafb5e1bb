// Package preview holds the kernels of what agents see of their way ahead (docs/spec/race.md, L-20 to L-26).
//
// # Table
//
// A refresh notes the lines of all envs in one table, so that an update reads one array of the track. The part of an
// env begins at element env*Size(maxPoints), and has
//
//	0            X: number of points n, 0 for a line that has no places; Y: length of the closed line
//	1+3i         point i of the centreline, and its arc length in W
//	2+3i         left border, and the curvature
//	3+3i         right border, and the speed
//
// for i from 0 to n. Row n is row 0 again, with the length in the place of the arc length. Values that a source does
// not have are 0.
//
// Behind the rows, from element 1 + 3*(maxPoints+1) on, there is an element for each of n equal parts of the length. A
// search for an arc length begins there:
//
//	X        segment at the begin of the part
//	Y, Z, W  arc lengths where this segment begins, where it ends, and where the segment after it ends
package preview
