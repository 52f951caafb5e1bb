package race

// Columns of integers that tally counts, in their order: see race.TotalColumns.
const (
	Episodes int32 = iota
	Laps
	OffRoad
	WrongWay
	Stuck
	Collisions
	LapsDone
	TimeOuts
	Over // of the last step; the state

	Columns // their number
)

// Bits of reasons, in the order of the columns from OffRoad on: see package kernels/reward.
const reasons = 6

// tally adds what a step has brought to each agent, number in all envs: complete laps, and at the end of its episode
// the episode and its reasons. integers has Columns columns. best is the time of the fastest lap, NaN without one.
// One item is one agent.
//
//kernel:thread
//kernel:unproven
//kernel:iterations tallyIterations()
func tally(i, number int32, lap, bestLap []float32, terminated, truncated, reason, integers []int32, best []float32) {
	if lap[i] > 0 {
		integers[Laps*number+i]++
	}
	if b := bestLap[i]; b > 0 && !(best[i] <= b) {
		best[i] = b
	}
	over := int32(0)
	if terminated[i] != 0 || truncated[i] != 0 {
		over = 1
	}
	if over == 1 && integers[Over*number+i] == 0 {
		integers[Episodes*number+i]++
		for k := int32(0); k < reasons; k++ {
			if reason[i]>>(k&31)&1 == 1 {
				integers[(OffRoad+k)*number+i]++
			}
		}
	}
	integers[Over*number+i] = over
}

// release makes the envs of a mask not done. One item is one env.
//
//kernel:thread
func release(i int32, mask, done []int32) {
	if mask[i] != 0 {
		done[i] = 0
	}
}

// beside says which agents are farther beside their line than the border: off is 1, else 0 (L-105). right and left are
// the widths of the road at each point, with the stride maxPoints. An agent that is nowhere is not beside the road. One
// item is one agent.
//
//kernel:thread
func beside(i, agents, maxPoints int32, n []float32, segment []int32, right, left []float32, off []int32) {
	out := int32(0)
	if at := segment[i]; at >= 0 && at < maxPoints {
		point := i/agents*maxPoints + at
		if n[i] > right[point] || -n[i] > left[point] {
			out = 1
		}
	}
	off[i] = out
}
