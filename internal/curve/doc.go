// Package curve fits a smooth closed curve to the points of a measured line.
//
// The curve is a cubic spline over the chord length of the points: position, direction and curvature are continuous. Of
// all curves through the points it bends least. Its curvature is that of the line which the points are from, while
// splines with local tangents make bends tighter between points. Three rules adapt it to what files hold:
//
//   - Points that are nearer to one another than a given length are smoothed, in the sense of Reinsch ("Smoothing by
//     Spline Functions", 1967): their noise would otherwise make bends of its own. All others are passed through.
//   - A segment that is much longer than the one beside it gets points between its ends, on a cubic whose tangents come
//     from the side with the short segments. A plain spline over chord length leaves long segments sideways.
//   - Points that all but coincide are one point.
//
// All numbers are float64, and every product is rounded before it is added: all machines compute the same bits. For the
// same reason no function here uses trigonometry.
package curve
