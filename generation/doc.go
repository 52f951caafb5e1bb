// Package generation is the machinery that generators of batches share, such as those of tracks and of gate courses: it
// runs a list of stages that is keyed by a seed and an epoch per env, for all envs or for those of a mask. A Generation
// is a producer in the sense of package exec: the same work can run eagerly, be recorded into a capture of the caller,
// or replay a graph.
//
// Candidates and Mixture make stages of other stages: one draws several results per env and keeps the best one, the
// other gives each env one of several kinds of work. Demand says what a generation needs from a device.
//
// Numbers such as R109 are rules of docs/spec/execution.md.
package generation
