package checkpoint

import (
	"github.com/trackgen-go/trackgen/kernel"
	"github.com/trackgen-go/trackgen/kernels/centerline"
)

// MaxClips is the most crossings that are cut off a loop.
const MaxClips = 16

// choose takes the candidate of each env with the fewest self-crossings; of several, it takes the first. It centres the
// loop and scales it to a box whose longer side is 1.44 scale (docs/spec/pipeline.md, section 4.5). With clipping 1, it
// cuts off the shorter part of the loop at its first crossing until no crossing is left; what is left begins at the
// crossing. Then it spaces the points evenly, also those of a loop that had no crossing. One group is one env.
//
// Rows: point and end with stride candidates*numPoints; boxLo and boxHi with stride candidates*ceil(numPoints/8).
// crossings, with stride candidates, is 0 before the launch. kept [E] is the number of points after clipping.
//
// On a CPU its items run one at a time: each compares other segments, and eight together take 1.7 times as long.
//
//kernel:group lanes=128
//kernel:scalar
//kernel:iterations chooseIterations(candidates, numPoints, clipping, lanes)
func choose(g kernel.Group, active []int32, candidates, numPoints, clipping int32, scale float32,
	point []kernel.Vec2, end []float32, boxLo, boxHi []kernel.Vec2, crossings, kept []int32, loop []kernel.Vec2) {
	if g.ID >= active[0] {
		return
	}
	env := active[g.ID+1]
	first := env * candidates
	loopBase := env * numPoints
	blocks := (numPoints + centerline.Block - 1) / centerline.Block

	for j := range g.Each(candidates * blocks) {
		k := j / blocks
		b := j - k*blocks
		boxLo[first*blocks+j], boxHi[first*blocks+j] = centerline.BoxOf(b*centerline.Block, numPoints,
			(first+k)*numPoints, point)
	}
	shares := centerline.CrossingShares * blocks
	for j := range g.Each(candidates * shares) {
		row := first + j/shares
		found, _ := centerline.Crossings(j%shares, numPoints, row*numPoints, point, row*blocks, boxLo, boxHi)
		if found > 0 {
			kernel.AtomicAdd(crossings, row, found)
		}
	}
	best := int32(0)
	for k := int32(1); k < candidates; k++ {
		if crossings[first+k] < crossings[first+best] {
			best = k
		}
	}
	slot := first + best
	base := slot * numPoints
	boxBase := slot * blocks

	n := numPoints
	crosses := clipping == 1 && crossings[slot] > 0
	for round := int32(0); round < MaxClips && crosses; round++ {
		for range g.Each(1) {
			crossings[slot] = 0
		}
		for k := range g.Each((n + centerline.Block - 1) / centerline.Block) {
			boxLo[boxBase+k], boxHi[boxBase+k] = centerline.BoxOf(k*centerline.Block, n, base, point)
		}
		for k := range g.Each(centerline.CrossingShares * ((n + centerline.Block - 1) / centerline.Block)) {
			_, i := centerline.Crossings(k, n, base, point, boxBase, boxLo, boxHi)
			if i < n {
				kernel.AtomicMax(crossings, slot, n-i)
			}
		}
		crosses = crossings[slot] > 0
		if crosses {
			for range g.Each(1) {
				left, start := clip(n-crossings[slot], n, base, point)
				kept[env] = left
				crossings[slot] = start
			}
			n = kept[env]
			for k := range g.Each(n) {
				i := crossings[slot] + k
				if i >= n {
					i -= n
				}
				loop[loopBase+k] = point[base+i]
			}
			for k := range g.Each(n) {
				point[base+k] = loop[loopBase+k]
			}
		}
	}

	if clipping == 1 {
		for k := range g.Each(n) {
			end[base+k] = centerline.SegmentLength(k, n, base, point)
		}
		for range g.Each(1) {
			centerline.SumLengths(n, base, end)
		}
		for k := range g.Each(numPoints) {
			target := float32(float32(k)*end[base+n-1]) / float32(numPoints)
			loop[loopBase+k] = centerline.PointAtArc(n, base, point, end, target)
		}
		for k := range g.Each(blocks) {
			boxLo[boxBase+k], boxHi[boxBase+k] = centerline.BoxOf(k*centerline.Block, numPoints, loopBase, loop)
		}
	} else {
		for k := range g.Each(numPoints) {
			loop[loopBase+k] = point[base+k]
		}
	}
	lo, _ := centerline.BoundingBox(blocks, boxBase, boxLo)
	_, hi := centerline.BoundingBox(blocks, boxBase, boxHi)
	middle, factor := centerline.Fit(lo, hi, scale)
	for k := range g.Each(numPoints) {
		loop[loopBase+k] = loop[loopBase+k].Sub(middle).Scale(factor)
	}
}

// clip cuts the closed polygon point[base..base+n) in two where its segment i crosses a later segment, and keeps the
// longer part, the inner one of equal parts. Segment i must cross a later segment that is not its neighbour; of
// several, the first counts. The results are the new number of points, which is less than n, and the index of the point
// of intersection.
func clip(i, n, base int32, point []kernel.Vec2) (left, intersection int32) {
	a := point[base+i]
	b := point[base+i+1]
	j := i + 2
	for j < n-1 && !centerline.SegmentsCross(a, b, point[base+j], point[base+centerline.After(j, n)]) {
		j++
	}
	p := point[base+j]
	q := point[base+centerline.After(j, n)]
	along := q.Sub(p)
	middle := a.Add(b.Sub(a).Scale(p.Sub(a).Cross(along) / b.Sub(a).Cross(along)))

	// The inner part goes through the points i+1 to j, the outer one through all others. longer is how much longer the
	// inner one is.
	var longer kernel.TwoFloat
	longer = longer.Add(b.Sub(middle).Len()).Add(p.Sub(middle).Len())
	longer = longer.Add(-a.Sub(middle).Len()).Add(-q.Sub(middle).Len())
	for k := int32(0); k < n; k++ {
		edge := point[base+centerline.After(k, n)].Sub(point[base+k]).Len()
		if k > i && k < j {
			longer = longer.Add(edge)
		} else if k != i && k != j {
			longer = longer.Add(-edge)
		}
	}
	if longer.Float32() >= 0 {
		point[base] = middle
		for k := i + 1; k <= j; k++ {
			point[base+k-i] = point[base+k]
		}
		return j - i + 1, 0
	}
	point[base+i+1] = middle
	for k := j + 1; k < n; k++ {
		point[base+i+1+k-j] = point[base+k]
	}
	return n - j + i + 1, i + 1
}
