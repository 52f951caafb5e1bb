// Package difficulty holds the kernel that labels tracks by how hard they are to drive (docs/spec/race.md, L-80 to
// L-84).
package difficulty
