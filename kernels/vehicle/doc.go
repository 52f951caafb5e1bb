// Package vehicle holds the kernels that move cars and drones (docs/spec/race.md, section 1).
//
// The element e*A + a of a column belongs to agent a of env e. Columns of one type follow each other in one array:
// place has the columns position and velocity, motion the columns that the constants of the model name, and parameters
// those of each env.
package vehicle
