package selection

import (
	"github.com/trackgen-go/trackgen/kernel"
	"github.com/trackgen-go/trackgen/kernels/centerline"
	"github.com/trackgen-go/trackgen/kernels/seeding"
)

// A rank orders the candidates of an env: the crossings of the first loop, and beyond every number of them where the track
// is not valid. Rank 0 is a valid track from a loop without crossings, which no other candidate can beat.
const (
	rankInvalid  = 1 << 30
	maxCrossings = rankInvalid - 1
)

// draft gives the next candidate its seed, one thread per active env: candidate round, or the kept one where round is
// negative. That the list names no env twice is beyond what kernelgen can prove.
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

// judge ranks candidate round of every active env and keeps the first of the lowest rank: candidate [E] is its number, rank
// [E] its rank, both set anew by round 0. again [E] becomes 1 where another candidate is to be generated: in the rounds
// before last where the kept one can be beaten, and in round last where the kept one is not that of this round. One group is
// one env. Rows: loop with stride numPoints, boxLo and boxHi with stride boxes >= ceil(numPoints/8).
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
}
