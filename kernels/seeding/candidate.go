package seeding

import "github.com/trackgen-go/trackgen/kernel"

// CandidateSeed folds the number of a candidate into an effective seed: candidate 0 has the seed itself, every other
// one a non-negative number. The constant differs from that of EffectiveSeed, so that no candidate of an epoch is
// another epoch.
func CandidateSeed(effective, candidate int32) int32 {
	if candidate == 0 {
		return effective
	}
	folded := kernel.Hash(uint32(effective) ^ kernel.Hash(uint32(candidate)*0x85EBCA6B))
	return int32(folded & 0x7FFFFFFF)
}
