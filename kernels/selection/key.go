package selection

import "github.com/trackgen-go/trackgen/kernels/seeding"

// key stores for every active env what its generation is made from: the effective seed, from which the random streams
// start, and the seed and epoch that gave it. It clears the counters unless no env is active. There are as many threads
// as envs or counters, whichever are more. kernelgen cannot prove that the list names no env twice.
//
//kernel:thread
//kernel:unproven
func key(i int32, active, seed, epoch, effective, usedSeed, usedEpoch, counters []int32) {
	if active[0] > 0 && i < int32(len(counters)) {
		counters[i] = 0
	}
	if i >= active[0] {
		return
	}
	env := active[i+1]
	effective[env] = seeding.EffectiveSeed(seed[env], epoch[env])
	usedSeed[env] = seed[env]
	usedEpoch[env] = epoch[env]
}
