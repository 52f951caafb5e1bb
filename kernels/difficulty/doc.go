// Package difficulty holds the kernels that label tracks by how hard they are to drive, and that choose tracks by their
// labels (docs/spec/race.md, L-80 to L-87).
package difficulty
