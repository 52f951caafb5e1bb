// Package spawn holds the kernel that puts agents on closed lines for the begin of an episode (docs/spec/race.md, L-60
// to L-66).
package spawn
