package hull

import (
	"github.com/trackgen-go/trackgen/kernel"
	"github.com/trackgen-go/trackgen/kernels/centerline"
)

// Salts of the random streams, multiplied with the effective seed in wrapping int32 (PIPELINE.md section 1).
const (
	saltCount        = 5119
	saltCorners      = 7919
	saltDisplacement = 3083
	saltOffset       = 1
)

// hull draws one closed loop per env: corner points sorted by angle, with the displaced middle of each edge between them, as
// a closed Catmull-Rom spline resampled to numPoints points of equal arc length. A loop that crosses itself is replaced by the
// straight polygon through the same vertices (PIPELINE.md section 4.2). One group is one env.
//
// The middle of an edge moves away from the centroid of the corners, or towards it, by at most the part displacement of its
// distance to the centroid.
//
// Scratch rows: corner, angle, cell with stride maxCorners; vertex with stride 2*maxCorners; dense and end with stride
// 2*maxCorners*samples; boxLo and boxHi with stride boxes >= ceil(numPoints/8). crossings [E] is the number of
// self-crossings of the smooth loop.
//
//kernel:group lanes=128
func hull(g kernel.Group, active []int32, seed []int32,
	minCorners, maxCorners, cells, samples, numPoints, boxes int32, cellSize, displacement, scale float32,
	corner []kernel.Vec2, angle []float32, cell []int32, vertex []kernel.Vec2,
	dense []kernel.Vec2, end []float32, boxLo, boxHi []kernel.Vec2, crossings []int32, loop []kernel.Vec2) {
	if g.ID >= active[0] {
		return
	}
	env := active[g.ID+1]
	cornerBase := env * maxCorners
	base := 2 * cornerBase
	denseBase := base * samples
	loopBase := env * numPoints
	boxBase := env * boxes
	salt := seed[env]
	corners := centerline.CornerCount(salt*saltCount+saltOffset, minCorners, maxCorners)
	n := 2 * corners

	for range g.Each(1) {
		centerline.DrawCorners(salt*saltCorners+saltOffset, corners, cells, cellSize, scale, cornerBase, corner, cell)
		centerline.SortByAngle(corners, cornerBase, corner, angle)
		center := centerline.Centroid(corners, cornerBase, corner)
		r := kernel.NewRand(salt*saltDisplacement + saltOffset)
		for i := int32(0); i < corners; i++ {
			var u float32
			u, r = r.Uniform()
			p := corner[cornerBase+i]
			q := corner[cornerBase+centerline.After(i, corners)]
			middle := kernel.V2(float32(0.5*(p.X+q.X)), float32(0.5*(p.Y+q.Y)))
			move := float32((float32(2*u) - 1) * displacement)
			vertex[base+2*i] = p
			away := middle.Sub(center)
			vertex[base+2*i+1] = middle.Add(centerline.Unit(away).Scale(float32(move*away.Len())))
		}
		crossings[env] = 0
	}

	// First the spline, then the straight polygon where the spline crosses itself.
	for straight := int32(0); straight < 2; straight++ {
		for k := range g.Each(n * samples) {
			i := k / samples
			u := float32(k-i*samples) / float32(samples-1)
			p1 := vertex[base+i]
			p2 := vertex[base+(i+1)%n]
			if straight == 0 {
				dense[denseBase+k] = centerline.CatmullRom(vertex[base+(i+n-1)%n], p1, p2, vertex[base+(i+2)%n], u)
			} else {
				dense[denseBase+k] = centerline.Cubic(p1, p1, p2, p2, u)
			}
		}
		for range g.Each(1) {
			centerline.ArcEnds(n*samples, denseBase, dense, end)
		}
		for k := range g.Each(numPoints) {
			target := float32(float32(k)*end[denseBase+n*samples-1]) / float32(numPoints)
			loop[loopBase+k] = centerline.PointAtArc(n*samples, denseBase, dense, end, target)
		}
		if straight == 1 {
			return
		}
		for k := range g.Each((numPoints + centerline.Block - 1) / centerline.Block) {
			boxLo[boxBase+k], boxHi[boxBase+k] = centerline.BoxOf(k*centerline.Block, numPoints, loopBase, loop)
		}
		for k := range g.Each(numPoints) {
			found := centerline.CrossingsFrom(k, numPoints, loopBase, loop, boxBase, boxLo, boxHi)
			if found > 0 {
				kernel.AtomicAdd(crossings, env, found)
			}
		}
		if crossings[env] == 0 {
			return
		}
	}
}
