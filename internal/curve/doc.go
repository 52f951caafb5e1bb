// Package curve fits a smooth closed curve to the points of a measured line.
//
// The curve is a cubic spline over the chord length of the points, with continuous position, direction and curvature.
// Among all curves through the points, it has the least bending energy. Its curvature is close to that of the measured
// line, while splines with local tangents make bends tighter between points. Three rules adapt it to real files:
//
//   - Points that are nearer to one another than a given length are smoothed, in the sense of Reinsch ("Smoothing by
//     Spline Functions", 1967): their noise would otherwise make bends. The curve passes through all others.
//   - A segment that is much longer than the one beside it gets points between its ends, on a cubic whose tangents come
//     from the side with the short segments. A plain spline over chord length bulges on long segments.
//   - Points that almost coincide are one point.
//
// All numbers are float64, and every product is rounded before an addition, so all machines compute the same bits. For
// the same reason, no function uses trigonometry.
package curve
