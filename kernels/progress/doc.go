// Package progress holds the kernels that follow agents past the checkpoints of a batch of courses, and rank them
// (docs/spec/course.md, C-60 to C-65). Its exported functions do the work for one agent, for kernels that do other work
// in the same launch.
//
// An agent has columns of integers and of numbers. Column c of n agents in all envs is the elements from c*n to c*n+n-1
// of one array, in the order of the constants of this package.
package progress
