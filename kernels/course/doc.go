// Package course holds the kernels of a step of a course: what several components do, in one launch
// (docs/spec/course.md, section 11). They call the exported functions of the packages of the components, so that they
// give the bits of the components by themselves.
package course
