package gate

import (
	"github.com/trackgen-go/trackgen/kernel"
	"github.com/trackgen-go/trackgen/kernels/centerline"
	"github.com/trackgen-go/trackgen/kernels/checkpoint"
)

// corners draws the corner points of the generators bezier and hull as control points, in the order of the draws
// (C-32). The generators differ in their random streams: the number of corners comes from the seed times countSalt plus
// countOffset, the corners from the seed times pointSalt plus pointOffset. One group is one env.
//
// Rows: cell and point with stride stride >= maxCorners. count [E] is the number of control points.
//
//kernel:group lanes=32
//kernel:iterations cornersIterations(maxCorners, lanes)
func corners(g kernel.Group, active, seed []int32, countSalt, countOffset, pointSalt, pointOffset,
	minCorners, maxCorners, cells, stride int32, cellSize, scale float32,
	cell []int32, count []int32, point []kernel.Vec2) {
	if g.ID >= active[0] {
		return
	}
	env := active[g.ID+1]
	for range g.Each(1) {
		n := centerline.CornerCount(seed[env]*countSalt+countOffset, minCorners, maxCorners)
		centerline.DrawCorners(seed[env]*pointSalt+pointOffset, n, cells, cellSize, scale, env*stride, point, cell)
		count[env] = n
	}
}

// knots draws the knots of the generator polar as control points (C-32). One group is one env. A row of point has
// stride stride >= n.
//
//kernel:group lanes=32
//kernel:iterations ringIterations(n, lanes)
func knots(g kernel.Group, active, seed []int32, n, stride int32, radialJitter, angularJitter float32,
	count []int32, point []kernel.Vec2) {
	if g.ID >= active[0] {
		return
	}
	env := active[g.ID+1]
	for range g.Each(1) {
		centerline.DrawKnots(seed[env], n, env*stride, point)
		count[env] = n
	}
	for k := range g.Each(n) {
		i := env*stride + k
		point[i] = centerline.PlaceKnot(k, n, radialJitter, angularJitter, point[i])
	}
}

// ring draws the checkpoints of the generator checkpoint as control points (C-32). One group is one env. A row of point
// has stride stride >= n.
//
//kernel:group lanes=32
//kernel:iterations ringIterations(n, lanes)
func ring(g kernel.Group, active, seed []int32, n, stride int32, minRadius, angleJitter float32,
	count []int32, point []kernel.Vec2) {
	if g.ID >= active[0] {
		return
	}
	env := active[g.ID+1]
	for range g.Each(1) {
		checkpoint.DrawRing(checkpoint.RingSeed(seed[env], 0), n, env*stride, point)
		count[env] = n
	}
	for k := range g.Each(n) {
		i := env*stride + k
		point[i] = checkpoint.PlaceCheckpoint(k, n, minRadius, angleJitter, point[i])
	}
}
