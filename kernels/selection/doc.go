// Package selection holds the kernels that choose which envs a generation works on.
//
// The choice is a list in device memory: active[0] is the number of envs and active[1], active[2], ... are their
// indices in ascending order. A group of a generation takes its env from the list, or returns at once when the list is
// shorter; so the work is proportional to the number of chosen envs, and the host never learns it.
package selection
