package centerline

import "github.com/trackgen-go/trackgen/kernel"

// minNorm is the smallest length that a vector is divided by when it is normalised.
const minNorm = 1e-8

// unit returns v divided by its length, at least minNorm.
func unit(v kernel.Vec2) kernel.Vec2 {
	n := kernel.Max(v.Len(), minNorm)
	return kernel.V2(v.X/n, v.Y/n)
}

// cubic returns the Bezier curve with the control points p0..p3 at u.
func cubic(p0, p1, p2, p3 kernel.Vec2, u float32) kernel.Vec2 {
	v := 1 - u
	b0 := float32(float32(v*v) * v)
	b1 := float32(float32(3*float32(v*v)) * u)
	b2 := float32(float32(3*v) * float32(u*u))
	b3 := float32(float32(u*u) * u)
	return kernel.V2(
		float32(b0*p0.X)+float32(b1*p1.X)+float32(b2*p2.X)+float32(b3*p3.X),
		float32(b0*p0.Y)+float32(b1*p1.Y)+float32(b2*p2.Y)+float32(b3*p3.Y))
}

// bezier draws one closed loop per env: corner points sorted by angle, joined by cubic Bezier curves, resampled to
// numPoints points of equal arc length. A loop that crosses itself is replaced by the straight polygon of its corners
// (PIPELINE.md section 4.1). One group is one env.
//
// Scratch rows: corner, angle, cell, tangent, shorter with stride maxCorners; dense and end with stride
// maxCorners*samples; boxLo and boxHi with stride boxes >= ceil(numPoints/8). crossings [E] is the number of
// self-crossings of the smooth loop.
//
//kernel:group lanes=128
func bezier(g kernel.Group, active []int32, seed []int32,
	minCorners, maxCorners, cells, samples, numPoints, boxes int32,
	cellSize, lean, radLo, radHi, scaleLo, scaleHi, clampLo, clampHi float32,
	corner []kernel.Vec2, angle []float32, cell []int32, tangent []kernel.Vec2, shorter []float32,
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
	n := cornerCount(salt*saltBezierCount, minCorners, maxCorners)

	style := kernel.NewRand(salt * saltBezierStyle)
	var u float32
	u, style = style.Uniform()
	rad := radLo + float32(u*(radHi-radLo))
	u, style = style.Uniform()
	scale := scaleLo + float32(u*(scaleHi-scaleLo))
	u, _ = style.Uniform()
	clamp := clampLo + float32(u*(clampHi-clampLo))

	for range g.Each(1) {
		drawCorners(salt*saltBezierCorners, n, cells, cellSize, scale, base, corner, cell)
		sortByAngle(n, base, corner, angle)
		crossings[env] = 0
	}

	for i := range g.Each(n) {
		before := Before(i, n)
		after := After(i, n)
		c := corner[base+i]
		incoming := c.Sub(corner[base+before])
		outgoing := corner[base+after].Sub(c)
		in := unit(incoming)
		out := unit(outgoing)
		tangent[base+i] = unit(kernel.V2(
			float32(lean*out.X)+float32((1-lean)*in.X),
			float32(lean*out.Y)+float32((1-lean)*in.Y)))
		shorter[base+i] = kernel.Min(incoming.Len(), outgoing.Len())
	}

	for k := range g.Each(n * samples) {
		i := k / samples
		after := After(i, n)
		p0 := corner[base+i]
		p3 := corner[base+after]
		handle := float32(rad * p3.Sub(p0).Len())
		h0 := kernel.Min(handle, float32(clamp*shorter[base+i]))
		h3 := kernel.Min(handle, float32(clamp*shorter[base+after]))
		p1 := p0.Add(tangent[base+i].Scale(h0))
		p2 := p3.Sub(tangent[base+after].Scale(h3))
		dense[denseBase+k] = cubic(p0, p1, p2, p3, float32(k-i*samples)/float32(samples-1))
	}
	for range g.Each(1) {
		ArcEnds(n*samples, denseBase, dense, end)
	}
	for k := range g.Each(numPoints) {
		target := float32(float32(k)*end[denseBase+n*samples-1]) / float32(numPoints)
		loop[loopBase+k] = PointAtArc(n*samples, denseBase, dense, end, target)
	}

	for k := range g.Each((numPoints + block - 1) / block) {
		boxLo[boxBase+k], boxHi[boxBase+k] = boxOf(k*block, numPoints, loopBase, loop)
	}
	for k := range g.Each(numPoints) {
		found := crossingsFrom(k, numPoints, loopBase, loop, boxBase, boxLo, boxHi)
		if found > 0 {
			kernel.AtomicAdd(crossings, env, found)
		}
	}
	if crossings[env] == 0 {
		return
	}

	// The straight polygon, sampled with the Bernstein weights of coincident handles.
	for k := range g.Each(n * samples) {
		i := k / samples
		after := After(i, n)
		p0 := corner[base+i]
		p3 := corner[base+after]
		dense[denseBase+k] = cubic(p0, p0, p3, p3, float32(k-i*samples)/float32(samples-1))
	}
	for range g.Each(1) {
		ArcEnds(n*samples, denseBase, dense, end)
	}
	for k := range g.Each(numPoints) {
		target := float32(float32(k)*end[denseBase+n*samples-1]) / float32(numPoints)
		loop[loopBase+k] = PointAtArc(n*samples, denseBase, dense, end, target)
	}
}
