package seeds

import "github.com/trackgen-go/trackgen/kernels/seeding"

// EffectiveSeed folds an epoch into a seed, with the same bits as State.Effective on the device (R105). Epoch 0 leaves
// the seed unchanged. Any other epoch gives a number in 0..2^31-1, with kernel.Hash:
//
//	Hash(uint32(seed) ^ Hash(uint32(epoch)*0x9E3779B9)) & 0x7FFFFFFF
func EffectiveSeed(seed, epoch int32) int32 { return seeding.EffectiveSeed(seed, epoch) }

// CandidateSeed folds the number of a candidate (track.Config.Candidates) into an effective seed, with the same bits as
// a generator on the device. Candidate 0 has the effective seed itself, any other a number in 0..2^31-1:
//
//	Hash(uint32(effective) ^ Hash(uint32(candidate)*0x85EBCA6B)) & 0x7FFFFFFF
//
// So a track with a given seed, epoch and candidate is the track that a generator without candidates makes from
// CandidateSeed(EffectiveSeed(seed, epoch), candidate) at epoch 0.
func CandidateSeed(effective, candidate int32) int32 {
	return seeding.CandidateSeed(effective, candidate)
}
