package selection

import "github.com/trackgen-go/trackgen/kernel"

const (
	chunks = 128 // how many parts of its envs a group counts and lists side by side
	sets   = 8   // how many sets of parts are summed side by side
	inSet  = chunks / sets

	ownEnvs    = 4096 // fewest envs of a group, if there are several
	mostGroups = 16
)

// Groups returns how many groups of compact or narrow list up to so many envs. Each group counts what is listed of the
// envs before its own by itself, so that groups need not wait for each other; hence there are few.
func Groups(envs int) int { return max(1, min((envs+ownEnvs-1)/ownEnvs, mostGroups)) }

// perGroup returns how many of envs envs a group lists: so many that those of Groups(envs) are enough.
func perGroup(envs int32) int32 { return max(ownEnvs, (envs+mostGroups-1)/mostGroups) }

// compact lists in active the envs whose mask is not 0. A group counts the envs to list before its own. It counts each
// part of its own, sums the counts, and lets each part write its envs from its own place on. kernelgen cannot prove
// that these places are apart. There are Groups(envs) groups or more.
//
//kernel:group lanes=128
//kernel:unproven
//kernel:iterations listIterations(envs, lanes)
func compact(g kernel.Group, envs int32, mask, active []int32) {
	var earlier [chunks]int32  // number of envs in parts of those before the group
	var count [chunks]int32    // number of envs of each part, then of those before it in its set
	var past [sets]int32       // the same in each set of these parts
	var before [sets + 1]int32 // number of envs before each set
	own := perGroup(envs)
	first := g.ID * own
	if g.ID >= mostGroups || g.ID > 0 && first >= envs {
		return
	}
	last := min(first+own, envs)
	size := (last - first + chunks - 1) / chunks
	if first > 0 {
		for c := range g.Each(chunks) {
			found := int32(0)
			i := c
			for ; i+7*chunks < first; i += 8 * chunks {
				found += markedAcross(i, mask)
			}
			for ; i < first; i += chunks {
				found += one(mask[i])
			}
			earlier[c] = found
		}
	}
	for c := range g.Each(chunks) {
		found := marked(first+c*size, min(first+(c+1)*size, last), mask)
		count[c] = found
	}
	for s := range g.Each(sets) {
		total := sumSet(s, count[:])
		before[s+1] = total
		total = sumSet(s, earlier[:])
		past[s] = total
	}
	for range g.Each(1) {
		for s := int32(0); s < sets; s++ {
			before[0] += past[s]
		}
		all := sumSets(before[:])
		if last == envs {
			active[0] = all
		}
	}
	for c := range g.Each(chunks) {
		listMarked(first+c*size, min(first+(c+1)*size, last), before[c/inSet]+count[c]+1, mask, active)
	}
}

// markedAcross returns how many of the envs i, i+chunks, and so on to i+7*chunks have a mask other than 0. All are
// loaded before the first is looked at, since a load takes long and waits for none of the others.
func markedAcross(i int32, mask []int32) int32 {
	m0 := mask[i]
	m1 := mask[i+chunks]
	m2 := mask[i+2*chunks]
	m3 := mask[i+3*chunks]
	m4 := mask[i+4*chunks]
	m5 := mask[i+5*chunks]
	m6 := mask[i+6*chunks]
	m7 := mask[i+7*chunks]
	return one(m0) + one(m1) + one(m2) + one(m3) + one(m4) + one(m5) + one(m6) + one(m7)
}

// marked returns how many of the envs first to last-1 have a mask other than 0. Four are loaded at a time.
func marked(first, last int32, mask []int32) int32 {
	found := int32(0)
	i := first
	for ; i+3 < last; i += 4 {
		found += one(mask[i]) + one(mask[i+1]) + one(mask[i+2]) + one(mask[i+3])
	}
	for ; i < last; i++ {
		found += one(mask[i])
	}
	return found
}

// one returns 1 for a mask other than 0, and 0 for 0.
func one(mask int32) int32 {
	if mask != 0 {
		return 1
	}
	return 0
}

// listMarked lists those of the envs first to last-1 whose mask is not 0, in active from the place at on. As in marked,
// four masks are loaded at a time.
func listMarked(first, last, at int32, mask, active []int32) {
	i := first
	for ; i+3 < last; i += 4 {
		has1 := one(mask[i])
		has2 := one(mask[i+1])
		has3 := one(mask[i+2])
		has4 := one(mask[i+3])
		if has1 != 0 {
			active[at] = i
		}
		at += has1
		if has2 != 0 {
			active[at] = i + 1
		}
		at += has2
		if has3 != 0 {
			active[at] = i + 2
		}
		at += has3
		if has4 != 0 {
			active[at] = i + 3
		}
		at += has4
	}
	for ; i < last; i++ {
		if mask[i] != 0 {
			active[at] = i
			at++
		}
	}
}

// sumSet replaces the counts of the parts of set s by the sums of those before them, and returns the sum of all.
func sumSet(s int32, count []int32) int32 {
	sum := int32(0)
	for c := s * inSet; c < (s+1)*inSet; c += 4 {
		first := count[c]
		second := first + count[c+1]
		third := second + count[c+2]
		fourth := third + count[c+3]
		count[c] = sum
		count[c+1] = sum + first
		count[c+2] = sum + second
		count[c+3] = sum + third
		sum += fourth
	}
	return sum
}

// sumSets replaces the count of each set, which stands one place later, by the sum of all sets before it and of the
// envs before the group, and returns the sum of all.
func sumSets(before []int32) int32 {
	for s := int32(0); s < sets; s++ {
		before[s+1] += before[s]
	}
	return before[sets]
}
