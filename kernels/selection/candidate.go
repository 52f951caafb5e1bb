package selection

import (
	"github.com/trackgen-go/trackgen/kernel"
	"github.com/trackgen-go/trackgen/kernels/centerline"
	"github.com/trackgen-go/trackgen/kernels/seeding"
)

// A rank orders the candidates of an env. A valid track has the number of crossings of its first loop, and an invalid
// one a higher rank than any valid one. No candidate beats rank 0: a valid track from a loop without crossings.
const (
	rankInvalid  = 1 << 30
	maxCrossings = rankInvalid - 1
)

// draft gives every active env the seed of its next candidate: that of candidate round, or of the kept candidate if
// round is negative. One thread is one active env. kernelgen cannot prove that the list names no env twice.
//
//kernel:thread
//kernel:unproven
func draft(i int32, active []int32, round int32, effective, candidate, seed []int32) {
	if i >= active[0] {
		return
	}
	env := active[i+1]
	number := round
	if round < 0 {
		number = candidate[env]
	}
	seed[env] = seeding.CandidateSeed(effective[env], number)
}

// judgeValid ranks candidate round of every active env as judge does, by its validity alone: a valid candidate has rank
// 0, and no other candidate is generated. One thread is one active env. kernelgen cannot prove that the list names no
// env twice.
//
//kernel:thread
//kernel:unproven
func judgeValid(i int32, active []int32, round, last int32, valid, rank, candidate, again []int32) {
	if i >= active[0] {
		return
	}
	env := active[i+1]
	reached := int32(rankInvalid)
	if valid[env] != 0 {
		reached = 0
	}
	keep(env, round, last, reached, rank, candidate, again)
}

// keep keeps the candidate of a round of an env if its rank is lower than that of the candidates before it, and asks
// for another one where the kept one can be beaten or is not the one that was generated last.
func keep(env, round, last, reached int32, rank, candidate, again []int32) {
	kept := candidate[env]
	lowest := rank[env]
	if round == 0 || reached < lowest {
		kept = round
		lowest = reached
	}
	candidate[env] = kept
	rank[env] = lowest
	again[env] = 0
	if lowest > 0 && (round < last || kept != round) {
		again[env] = 1
	}
}

// judge ranks candidate round of every active env and keeps the candidate with the lowest rank; of several, it keeps
// the first. candidate [E] is the number of the kept candidate and rank [E] its rank; round 0 sets both anew. again [E]
// becomes 1 where another candidate is to be generated: before round last, where the kept candidate can be beaten; in
// round last, where the kept candidate is an earlier one. One group is one env.
//
// Rows: loop with stride numPoints, boxLo and boxHi with stride boxes >= ceil(numPoints/8).
//
//kernel:group lanes=128
//kernel:iterations judgeIterations(numPoints, lanes)
func judge(g kernel.Group, active []int32, round, last, numPoints, boxes int32, loop []kernel.Vec2, valid []int32,
	boxLo, boxHi []kernel.Vec2, rank, candidate, again []int32) {
	if g.ID >= active[0] {
		return
	}
	var crossings [1]int32
	env := active[g.ID+1]
	loopBase := env * numPoints
	boxBase := env * boxes
	for k := range g.Each((numPoints + centerline.Block - 1) / centerline.Block) {
		boxLo[boxBase+k], boxHi[boxBase+k] = centerline.BoxOf(k*centerline.Block, numPoints, loopBase, loop)
	}
	for k := range g.Each(centerline.CrossingShares * ((numPoints + centerline.Block - 1) / centerline.Block)) {
		found, _ := centerline.Crossings(k, numPoints, loopBase, loop, boxBase, boxLo, boxHi)
		if found > 0 {
			kernel.AtomicAdd(crossings[:], 0, found)
		}
	}
	for range g.Each(1) {
		reached := crossings[0]
		if reached > maxCrossings {
			reached = maxCrossings
		}
		if valid[env] == 0 {
			reached += rankInvalid
		}
		keep(env, round, last, reached, rank, candidate, again)
	}
}
