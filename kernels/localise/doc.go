// Package localise holds the kernels that find where agents are on closed lines (docs/spec/course.md, C-80 and C-81),
// with the index of package polyline.
//
// Integers are the columns segment and memory, floats the columns s, n and n_up, of as many elements as there are
// agents in all envs.
package localise
