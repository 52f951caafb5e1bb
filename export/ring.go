package export

import "math"

// minRoads is the minimum number of roads in the ring of an OpenDRIVE file. CARLA finds no route past the end of a road
// that is its own successor, or of two roads that succeed each other.
const minRoads = 3

// cuts returns the points at which the lap is cut into the roads of a ring, in ascending order. The first is point 0.
// There are three roads of about the same length, or more if a road would cross itself on a bridge: some readers build
// one polygon from each road. Roads end away from bridges where that is possible.
func (r *Road) cuts(pieces []cubic) []int {
	earlier := r.earlierCrossings()
	equal := r.equalCuts(pieces, earlier)
	cuts := []int{0}
	for j := range pieces {
		if len(equal) > 0 && j == equal[0] {
			cuts, equal = append(cuts, j), equal[1:]
		}
		if i := earlier[j]; i >= cuts[len(cuts)-1] {
			// Edges i and j cross. The cut is halfway between them, so that both roads end far from the crossing.
			middle := (pieces[i].s + pieces[j].s + pieces[j].length) / 2
			cut := i + 1
			for cut < j && pieces[cut].s < middle {
				cut++
			}
			cuts = append(cuts, cut)
		}
	}
	return cuts
}

// earlierCrossings returns for each edge of the centreline the last edge before it that it crosses, or -1. It leaves
// out crossings of lines that are so tangled that the search would take too long.
func (r *Road) earlierCrossings() []int {
	earlier := make([]int, len(r.Center))
	for j := range earlier {
		earlier[j] = -1
	}
	r.eachCrossing(pairsPerPoint*len(r.Center), func(i, j int) bool {
		i, j = min(i, j), max(i, j)
		earlier[j] = max(earlier[j], i)
		return true
	})
	return earlier
}

// equalCuts returns the points that, with point 0, cut the lap into minRoads parts of about the same length. Each is
// within an eighth of the lap of its ideal place, if a point lies there. Of those points, it is the nearest to the
// ideal place that is at least two road widths from every crossing, or else the one farthest from crossings.
func (r *Road) equalCuts(pieces []cubic, earlier []int) []int {
	n := len(pieces)
	lap := pieces[n-1].s + pieces[n-1].length
	_, widest := r.widthRange()
	distances := crossingDistances(pieces, earlier)
	var cuts []int
	first := 1 // the first point that may be the next cut
	for k := 1; k < minRoads; k++ {
		ideal := lap * float64(k) / minRoads
		end := n - (minRoads - 1 - k) // the cuts after this one need a point each
		best, bestDistance, bestClear := first, math.Inf(1), math.Inf(-1)
		for i := first; i < end; i++ {
			distance, clear := math.Abs(pieces[i].s-ideal), min(distances[i], 2*widest)
			if distance > lap/8 {
				clear = -1 // only if no point is near
			}
			if clear > bestClear || clear == bestClear && distance < bestDistance {
				best, bestDistance, bestClear = i, distance, clear
			}
		}
		cuts, first = append(cuts, best), best+1
	}
	return cuts
}

// crossingDistances returns the distance along the lap from each point to the nearest edge that crosses another.
func crossingDistances(pieces []cubic, earlier []int) []float64 {
	n := len(pieces)
	crosses := make([]bool, n)
	for j, i := range earlier {
		if i >= 0 {
			crosses[i], crosses[j] = true, true
		}
	}
	distances := make([]float64, n)
	distance := math.Inf(1)
	for k := range 2 * n { // twice around, because a crossing before point 0 counts too
		i := k % n
		distances[i] = distance
		if distance += pieces[i].length; crosses[i] {
			distance = 0
		}
	}
	distance = math.Inf(1)
	for k := 2*n - 1; k >= 0; k-- {
		i := k % n
		if distance += pieces[i].length; crosses[i] {
			distance = 0
		}
		distances[i] = min(distances[i], distance)
	}
	return distances
}
