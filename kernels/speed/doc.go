// Package speed holds the kernels that measure the curvature of a closed line, and the speed at which a car can follow
// it (docs/spec/course.md, C-85 and C-86).
package speed
