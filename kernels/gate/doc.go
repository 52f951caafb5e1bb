// Package gate holds the kernels of gate courses: control points, their order and distances, heights, frames and
// validity (docs/spec/course.md, section 3). The heights are those of package elevation.
//
// Arrays are flat: env e of an array with stride S owns the elements e*S..e*S+S-1.
package gate
