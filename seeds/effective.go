package seeds

import "github.com/trackgen-go/trackgen/kernels/seeding"

// EffectiveSeed folds an epoch into a seed, bit for bit as State.Effective does on the device (R105, R111). Epoch 0 leaves
// the seed as it is; any other gives a number in 0..2^31-1 (R108), with the hash of decision D1:
//
//	Hash(uint32(seed) ^ Hash(uint32(epoch)*0x9E3779B9)) & 0x7FFFFFFF
func EffectiveSeed(seed, epoch int32) int32 { return seeding.EffectiveSeed(seed, epoch) }
