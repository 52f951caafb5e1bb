package difficulty

import "github.com/trackgen-go/trackgen/kernel"

// Columns of the packed arrays of a curriculum. Column c of env e of n envs is element c*n+e.
const (
	ChosenLabel = 0 // float32

	ChosenEpoch = 0 // int32
	ChosenTries = 1 // int32
)

// startSearch begins the search for the next tracks of the envs whose mask is not 0: the scout gets their seeds and
// epochs, and they are pending (L-85). The other envs are not pending, and nothing else of them changes. Items are
// envs, number of them. kernelgen cannot prove that the columns of different envs have no element in common.
//
//kernel:thread
//kernel:unproven
func startSearch(i, number int32, mask, seed, epoch, scoutSeed, scoutEpoch, pending []int32, rank, floats []float32,
	integers []int32) {
	pending[i] = 0
	if mask[i] == 0 {
		return
	}
	pending[i] = 1
	scoutSeed[i] = seed[i]
	scoutEpoch[i] = epoch[i]
	rank[i] = 0
	floats[ChosenLabel*number+i] = kernel.NaN()
	integers[ChosenEpoch*number+i] = epoch[i]
	integers[ChosenTries*number+i] = 0
}

// rankOf returns how far a label is from a target (L-86): the candidate with the lowest rank is chosen.
func rankOf(label, target float32) float32 {
	if kernel.IsNaN(target) {
		return 0
	}
	if kernel.IsFinite(target) {
		return kernel.Abs(label - target)
	}
	if target > 0 {
		return -label
	}
	return label
}

// judgeTrack takes the candidate of each pending env if it is better than those before, and ends the search where it
// is near enough (L-85, L-86). The label is column of the packed floats or, with whole, of the packed integers of the
// labels, which have number envs. A candidate that is not valid or has no racing line is taken only if it is the
// first one.
//
//kernel:thread
//kernel:unproven
func judgeTrack(i, number, column, whole int32, tolerance float32, target []float32, valid []int32, labels []float32,
	counts []int32, scoutEpoch, pending []int32, rank, floats []float32, integers []int32) {
	if pending[i] == 0 {
		return
	}
	tries := integers[ChosenTries*number+i]
	integers[ChosenTries*number+i] = tries + 1
	// Column 0 of the labels is the lap time, which only a track with a racing line has.
	usable := valid[i] != 0 && !kernel.IsNaN(labels[i])
	label := kernel.NaN()
	if usable {
		if whole != 0 {
			label = float32(counts[column*number+i])
		} else {
			label = labels[column*number+i]
		}
	}
	found := !kernel.IsNaN(floats[ChosenLabel*number+i]) // a usable candidate before
	r := rankOf(label, target[i])
	if tries == 0 || usable && (!found || r < rank[i]) {
		rank[i] = r
		floats[ChosenLabel*number+i] = label
		integers[ChosenEpoch*number+i] = scoutEpoch[i]
	}
	if usable && (kernel.IsNaN(target[i]) || kernel.IsFinite(target[i]) && r <= tolerance) {
		pending[i] = 0
	}
}

// settleEpochs sets the epochs of the envs whose mask is not 0 to the ones before those that were chosen, so that the
// next regeneration makes the chosen tracks (L-85).
//
//kernel:thread
func settleEpochs(i int32, mask, integers, epoch []int32) {
	if mask[i] != 0 {
		epoch[i] = integers[i] - 1 // column ChosenEpoch
	}
}
