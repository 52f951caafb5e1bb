package spline

import (
	"github.com/trackgen-go/trackgen/kernel"
	"github.com/trackgen-go/trackgen/kernels/centerline"
)

// through draws one closed loop per env: the Catmull-Rom spline through its count[env] vertices, with samples points to
// a segment, resampled to numPoints points of equal arc length. A loop that crosses itself is replaced by the straight
// polygon through the same vertices (docs/spec/pipeline.md, sections 4.2 and 4.4). One group is one env.
//
// With bothEnds 1, the samples of a segment include both of its ends; with 0, its first end alone. With a scale other
// than 0, the loop is centred and scaled to a box whose longer side is 1.44 scale. Crossings are counted before, which
// gives the same number.
//
// Rows: vertex with stride maxVertices; dense and end with stride maxVertices*samples; boxLo and boxHi with stride
// boxes >= ceil(numPoints/8). crossings [E] is the number of self-crossings of the spline.
//
//kernel:group lanes=128
//kernel:iterations throughIterations(maxVertices, samples, numPoints, lanes)
func through(g kernel.Group, active, count []int32, maxVertices, samples, bothEnds, numPoints, boxes int32,
	scale float32, vertex, dense []kernel.Vec2, end []float32, boxLo, boxHi []kernel.Vec2, crossings []int32,
	loop []kernel.Vec2) {
	if g.ID >= active[0] {
		return
	}
	env := active[g.ID+1]
	n := count[env]
	base := env * maxVertices
	denseBase := base * samples
	loopBase := env * numPoints
	boxBase := env * boxes
	blocks := (numPoints + centerline.Block - 1) / centerline.Block

	// A loop that crosses itself is drawn again, as the straight polygon.
	for straight := int32(0); straight <= 1; straight++ {
		for k := range g.Each(n * samples) {
			i := k / samples
			after := centerline.After(i, n)
			p := vertex[base+i]
			q := vertex[base+after]
			if straight == 1 {
				// The Bernstein weights of coincident handles put the points exactly where the reference has them.
				dense[denseBase+k] = centerline.Cubic(p, p, q, q, float32(k-i*samples)/float32(samples-1))
			} else {
				u := float32(k-i*samples) / float32(samples-bothEnds)
				dense[denseBase+k] = centerline.CatmullRom(
					vertex[base+centerline.Before(i, n)], p, q, vertex[base+centerline.After(after, n)], u)
			}
		}
		for k := range g.Each(n * samples) {
			end[denseBase+k] = centerline.SegmentLength(k, n*samples, denseBase, dense)
		}
		for range g.Each(1) {
			centerline.SumLengths(n*samples, denseBase, end)
			if straight == 0 {
				crossings[env] = 0
			}
		}
		for k := range g.Each(numPoints) {
			target := float32(float32(k)*end[denseBase+n*samples-1]) / float32(numPoints)
			loop[loopBase+k] = centerline.PointAtArc(n*samples, denseBase, dense, end, target)
		}
		for k := range g.Each(blocks) {
			boxLo[boxBase+k], boxHi[boxBase+k] = centerline.BoxOf(k*centerline.Block, numPoints, loopBase, loop)
		}
		if straight == 0 {
			for k := range g.Each(centerline.CrossingShares * blocks) {
				found, _ := centerline.Crossings(k, numPoints, loopBase, loop, boxBase, boxLo, boxHi)
				if found > 0 {
					kernel.AtomicAdd(crossings, env, found)
				}
			}
			if crossings[env] == 0 {
				break
			}
		}
	}
	if scale == 0 {
		return
	}
	lo, _ := centerline.BoundingBox(blocks, boxBase, boxLo)
	_, hi := centerline.BoundingBox(blocks, boxBase, boxHi)
	middle, factor := centerline.Fit(lo, hi, scale)
	for k := range g.Each(numPoints) {
		loop[loopBase+k] = loop[loopBase+k].Sub(middle).Scale(factor)
	}
}
