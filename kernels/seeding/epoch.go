// Package seeding holds the kernels of package seeds: the seeds and epochs that key every generation, and the draws of
// the per-env random numbers. Env i of a batch is thread i of a launch, unless a kernel says otherwise.
package seeding

import "github.com/trackgen-go/trackgen/kernel"

// EffectiveSeed folds an epoch into a seed (R105): epoch 0 leaves the seed as it is, every other one gives a
// non-negative number.
func EffectiveSeed(seed, epoch int32) int32 {
	if epoch == 0 {
		return seed
	}
	folded := kernel.Hash(uint32(seed) ^ kernel.Hash(uint32(epoch)*0x9E3779B9))
	return int32(folded & 0x7FFFFFFF)
}

// effective writes the effective seed of every env.
//
//kernel:thread
func effective(i int32, seeds, epoch, out []int32) {
	out[i] = EffectiveSeed(seeds[i], epoch[i])
}

// effectiveMasked writes the effective seed where mask is not 0 and leaves the others (R109).
//
//kernel:thread
func effectiveMasked(i int32, seeds, epoch, mask, out []int32) {
	if mask[i] != 0 {
		out[i] = EffectiveSeed(seeds[i], epoch[i])
	}
}

// advance begins the next epoch of every env; the largest one wraps.
//
//kernel:thread
func advance(i int32, epoch []int32) {
	epoch[i]++
}

// advanceMasked begins the next epoch where mask is not 0.
//
//kernel:thread
func advanceMasked(i int32, mask, epoch []int32) {
	if mask[i] != 0 {
		epoch[i]++
	}
}

// resetMasked returns to epoch 0 where mask is not 0.
//
//kernel:thread
func resetMasked(i int32, mask, epoch []int32) {
	if mask[i] != 0 {
		epoch[i] = 0
	}
}
