// Package reward holds the kernels that reward agents and end their episodes (docs/spec/race.md, L-40 to L-53).
//
// An agent has columns of integers and of numbers. Column c of n agents in all envs is the elements from c*n to c*n+n-1
// of one array, in the order of the constants of this package.
package reward
