package centerline

import "github.com/trackgen-go/trackgen/kernel"

// bezier draws one closed loop per env: corner points sorted by angle, joined by cubic Bezier curves, resampled to
// numPoints points of equal arc length. A loop that crosses itself is replaced by the straight polygon of its corners
// (docs/spec/pipeline.md, section 4.1). One group is one env.
//
// Scratch rows: corner, angle, cell, tangent, limit with stride maxCorners; dense and end with stride
// maxCorners*samples; boxLo and boxHi with stride boxes >= ceil(numPoints/8). crossings [E] is the number of
// self-crossings of the smooth loop.
//
//kernel:group lanes=128
//kernel:iterations bezierIterations(maxCorners, samples, numPoints, lanes)
func bezier(g kernel.Group, active []int32, seed []int32,
	minCorners, maxCorners, cells, samples, numPoints, boxes int32,
	cellSize, lean, radLo, radHi, scaleLo, scaleHi, clampLo, clampHi float32,
	corner []kernel.Vec2, angle []float32, cell []int32, tangent []kernel.Vec2, limit []float32,
	dense []kernel.Vec2, end []float32, boxLo, boxHi []kernel.Vec2, crossings []int32, loop []kernel.Vec2) {
	if g.ID >= active[0] {
		return
	}
	env := active[g.ID+1]
	base := env * maxCorners
	denseBase := env * maxCorners * samples
	loopBase := env * numPoints
	boxBase := env * boxes
	salt := seed[env]
	n := CornerCount(salt*SaltBezierCount, minCorners, maxCorners)

	style := kernel.NewRand(salt * saltBezierStyle)
	var u float32
	u, style = style.Uniform()
	rad := radLo + float32(u*(radHi-radLo))
	u, style = style.Uniform()
	scale := scaleLo + float32(u*(scaleHi-scaleLo))
	u, _ = style.Uniform()
	clamp := clampLo + float32(u*(clampHi-clampLo))

	for range g.Each(1) {
		DrawCorners(salt*SaltBezierCorners, n, cells, cellSize, scale, base, corner, cell)
		SortByAngle(n, base, corner, angle)
		crossings[env] = 0
	}

	for i := range g.Each(n) {
		before := Before(i, n)
		after := After(i, n)
		c := corner[base+i]
		incoming := c.Sub(corner[base+before])
		outgoing := corner[base+after].Sub(c)
		in := Unit(incoming)
		out := Unit(outgoing)
		tangent[base+i] = Unit(kernel.V2(
			float32(lean*out.X)+float32((1-lean)*in.X),
			float32(lean*out.Y)+float32((1-lean)*in.Y)))
		// A handle is a part of its edge, and at most a part of the shorter edge at its corner. Angles are not needed any
		// more, so they make room for it.
		limit[base+i] = float32(clamp * kernel.Min(incoming.Len(), outgoing.Len()))
		angle[base+i] = float32(rad * outgoing.Len())
	}

	// A loop that crosses itself is drawn again, as the straight polygon.
	for straight := int32(0); straight <= 1; straight++ {
		for k := range g.Each(n * samples) {
			i := k / samples
			after := After(i, n)
			p0 := corner[base+i]
			p3 := corner[base+after]
			if straight == 1 {
				// The Bernstein weights of coincident handles.
				dense[denseBase+k] = Cubic(p0, p0, p3, p3, float32(k-i*samples)/float32(samples-1))
			} else {
				h0 := kernel.Min(angle[base+i], limit[base+i])
				h3 := kernel.Min(angle[base+i], limit[base+after])
				p1 := p0.Add(tangent[base+i].Scale(h0))
				p2 := p3.Sub(tangent[base+after].Scale(h3))
				dense[denseBase+k] = Cubic(p0, p1, p2, p3, float32(k-i*samples)/float32(samples-1))
			}
		}
		for k := range g.Each(n * samples) {
			end[denseBase+k] = SegmentLength(k, n*samples, denseBase, dense)
		}
		for range g.Each(1) {
			SumLengths(n*samples, denseBase, end)
		}
		for k := range g.Each(numPoints) {
			target := float32(float32(k)*end[denseBase+n*samples-1]) / float32(numPoints)
			loop[loopBase+k] = PointAtArc(n*samples, denseBase, dense, end, target)
		}
		if straight == 0 {
			for k := range g.Each((numPoints + Block - 1) / Block) {
				boxLo[boxBase+k], boxHi[boxBase+k] = BoxOf(k*Block, numPoints, loopBase, loop)
			}
			for k := range g.Each(CrossingShares * ((numPoints + Block - 1) / Block)) {
				found, _ := Crossings(k, numPoints, loopBase, loop, boxBase, boxLo, boxHi)
				if found > 0 {
					kernel.AtomicAdd(crossings, env, found)
				}
			}
			if crossings[env] == 0 {
				break
			}
		}
	}
}
