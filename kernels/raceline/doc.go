// Package raceline holds the kernels that find the racing line of a road, and the speed and lap time of a car on it
// (docs/spec/race.md, section 6).
//
// The line is the solution of a nonlinear least-squares problem with bounds. One group solves that of one env, by a
// primal-dual interior-point method; each of its linear systems is solved directly by cyclic reduction.
package raceline
