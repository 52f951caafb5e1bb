package seeding

import "github.com/trackgen-go/trackgen/kernel"

// Assigning values to envs by id takes two launches, so that duplicate ids have one result: claim finds for each env
// the highest position in ids that names it, and an assign kernel, one thread per env, takes the value from there.

// claim raises winner[id] to the position of each id, counted from 1. Ids that name no env are ignored. One
// thread per id.
//
//kernel:thread
func claim(i int32, ids, winner []int32) {
	id := ids[i]
	if id >= 0 && id < int32(len(winner)) {
		kernel.AtomicMax(winner, id, i+1)
	}
}

// assignSeeds gives every claimed env the seed at its winning position and epoch 0, and clears the claim.
//
//kernel:thread
func assignSeeds(i int32, source, winner, seeds, epoch []int32) {
	position := winner[i]
	if position > 0 {
		seeds[i] = source[position-1]
		epoch[i] = 0
		winner[i] = 0
	}
}

// assignStreams gives every claimed env the seed at its winning position, starts its random stream from it, and clears
// the claim.
//
//kernel:thread
func assignStreams(i int32, source, winner, seeds, state []int32) {
	position := winner[i]
	if position > 0 {
		seed := source[position-1]
		seeds[i] = seed
		state[i] = int32(kernel.Hash(uint32(seed)))
		winner[i] = 0
	}
}

// startStreams starts the random stream of every env from its seed.
//
//kernel:thread
func startStreams(i int32, seeds, state []int32) {
	state[i] = int32(kernel.Hash(uint32(seeds[i])))
}

// anySet sets flag[0] to 1 if an element of mask is not 0. The flag is zero before the launch. One thread per
// element of mask.
//
//kernel:thread
func anySet(i int32, mask, flag []int32) {
	if mask[i] != 0 {
		kernel.AtomicOr(flag, 0, 1)
	}
}
