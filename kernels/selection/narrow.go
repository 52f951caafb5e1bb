package selection

import "github.com/trackgen-go/trackgen/kernel"

// narrow copies from the list from to the list to the envs whose mask is not 0, in their order. Groups share the work
// as in compact; there are Groups(n) for a list of up to n envs. The work is proportional to the length of from.
//
//kernel:group lanes=128
//kernel:unproven
//kernel:iterations listIterations(len(from) - 1, lanes)
func narrow(g kernel.Group, from, mask, to []int32) {
	var earlier [chunks]int32  // number of envs in parts of those before the group
	var past [sets]int32       // the same in each set of these parts
	var count [chunks]int32    // number of envs of each part, then of those before it in its set
	var before [sets + 1]int32 // number of envs before each set
	envs := from[0]
	own := perGroup(envs)
	start := g.ID * own
	if g.ID >= mostGroups || g.ID > 0 && start >= envs {
		return
	}
	end := min(start+own, envs)
	size := (end - start + chunks - 1) / chunks
	if start > 0 {
		for c := range g.Each(chunks) {
			found := int32(0)
			i := c + 1
			for ; i+7*chunks <= start; i += 8 * chunks {
				found += listedAcross(i, from, mask)
			}
			for ; i <= start; i += chunks {
				found += one(mask[from[i]])
			}
			earlier[c] = found
		}
	}
	for c := range g.Each(chunks) {
		found := int32(0)
		i := start + c*size + 1
		last := min(start+(c+1)*size, end)
		for ; i+3 <= last; i += 4 {
			found += one(mask[from[i]]) + one(mask[from[i+1]]) + one(mask[from[i+2]]) + one(mask[from[i+3]])
		}
		for ; i <= last; i++ {
			found += one(mask[from[i]])
		}
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
		if end == envs {
			to[0] = all
		}
	}
	for c := range g.Each(chunks) {
		at := before[c/inSet] + count[c] + 1
		i := start + c*size + 1
		last := min(start+(c+1)*size, end)
		for ; i+3 <= last; i += 4 {
			first := from[i]
			second := from[i+1]
			third := from[i+2]
			fourth := from[i+3]
			has1 := one(mask[first])
			has2 := one(mask[second])
			has3 := one(mask[third])
			has4 := one(mask[fourth])
			if has1 != 0 {
				to[at] = first
			}
			at += has1
			if has2 != 0 {
				to[at] = second
			}
			at += has2
			if has3 != 0 {
				to[at] = third
			}
			at += has3
			if has4 != 0 {
				to[at] = fourth
			}
			at += has4
		}
		for ; i <= last; i++ {
			env := from[i]
			if mask[env] != 0 {
				to[at] = env
				at++
			}
		}
	}
}

// listedAcross returns how many of the elements i, i+chunks, and so on to i+7*chunks of a list are envs with a mask
// other than 0. As in markedAcross, loads come first.
func listedAcross(i int32, from, mask []int32) int32 {
	e0 := from[i]
	e1 := from[i+chunks]
	e2 := from[i+2*chunks]
	e3 := from[i+3*chunks]
	e4 := from[i+4*chunks]
	e5 := from[i+5*chunks]
	e6 := from[i+6*chunks]
	e7 := from[i+7*chunks]
	m0 := mask[e0]
	m1 := mask[e1]
	m2 := mask[e2]
	m3 := mask[e3]
	m4 := mask[e4]
	m5 := mask[e5]
	m6 := mask[e6]
	m7 := mask[e7]
	return one(m0) + one(m1) + one(m2) + one(m3) + one(m4) + one(m5) + one(m6) + one(m7)
}
