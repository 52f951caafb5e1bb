package heightfield

import (
	"github.com/trackgen-go/trackgen/kernel"
	"github.com/trackgen-go/trackgen/kernels/centerline"
)

// squaredToSegment returns the squared distance of a point from the segment from a to b.
func squaredToSegment(p, a, b kernel.Vec2) float32 {
	d := b.Sub(a)
	u := kernel.Clamp(p.Sub(a).Dot(d)/kernel.Max(d.Dot(d), minSquared), 0, 1)
	away := p.Sub(pointAt(a, d, u))
	return away.Dot(away)
}

// inTriangle reports whether a point is in a triangle or on its edge. No point is in a triangle without an area, for
// which the tests of the sides would accept all points of a line, or of the plane.
func inTriangle(p, a, b, c kernel.Vec2) bool {
	if b.Sub(a).Cross(c.Sub(a)) == 0 {
		return false
	}
	u := b.Sub(a).Cross(p.Sub(a))
	v := c.Sub(b).Cross(p.Sub(b))
	w := a.Sub(c).Cross(p.Sub(c))
	return (u >= 0 && v >= 0 && w >= 0) || (u <= 0 && v <= 0 && w <= 0)
}

// squaredToRoad returns the squared distance of a point from the road along a segment: 0 between the borders, else that
// of the nearer border.
func squaredToRoad(p kernel.Vec2, segment int32, l line, outer, inner []kernel.Vec3) float32 {
	next := l.base + centerline.After(segment, l.n)
	a := planOf(outer[l.base+segment])
	b := planOf(outer[next])
	c := planOf(inner[next])
	d := planOf(inner[l.base+segment])
	squared := kernel.Min(squaredToSegment(p, a, b), squaredToSegment(p, d, c))
	if inTriangle(p, a, b, c) || inTriangle(p, a, c, d) {
		squared = 0
	}
	return squared
}

// roadSquared returns the squared distance of a point from the road.
func roadSquared(p kernel.Vec2, l line, outer, inner []kernel.Vec3, roadLow, roadHigh []kernel.Vec2) float32 {
	best := squaredToRoad(p, nearBegin(p, l, outer), l, outer, inner)
	for node := int32(0); node < Nodes(l.n); node++ {
		at := l.first + l.leaves + node
		if squaredTo(p, roadLow[at], roadHigh[at]) >= best {
			continue
		}
		for leaf := node * NodeLeaves; leaf < (node+1)*NodeLeaves && leaf < Leaves(l.n); leaf++ {
			if squaredTo(p, roadLow[l.first+leaf], roadHigh[l.first+leaf]) >= best {
				continue
			}
			for i := leaf * LeafSegments; i < (leaf+1)*LeafSegments && i < l.n; i++ {
				best = kernel.Min(best, squaredToRoad(p, i, l, outer, inner))
			}
		}
	}
	return best
}

// blended returns the mean of the heights of the segments that are at most reach farther from the point than the
// nearest one, f. The weight of a segment is its length times the square of how much nearer it is than this limit.
func blended(p kernel.Vec2, f foot, reach float32, l line, center []kernel.Vec3,
	boxLow, boxHigh []kernel.Vec2) float32 {
	z := heightAt(f, l, center)
	if !(reach > 0) {
		return z // on the road, where no segment is nearer than the limit
	}
	limit := kernel.Sqrt(f.squared) + reach
	sum := float32(0)
	weights := float32(0)
	for node := int32(0); node < Nodes(l.n); node++ {
		at := l.first + l.leaves + node
		if kernel.Sqrt(squaredTo(p, boxLow[at], boxHigh[at])) >= limit {
			continue
		}
		for leaf := node * NodeLeaves; leaf < (node+1)*NodeLeaves && leaf < Leaves(l.n); leaf++ {
			if kernel.Sqrt(squaredTo(p, boxLow[l.first+leaf], boxHigh[l.first+leaf])) >= limit {
				continue
			}
			for i := leaf * LeafSegments; i < (leaf+1)*LeafSegments && i < l.n; i++ {
				other := footOn(p, i, l, center)
				distance := kernel.Sqrt(other.squared)
				if distance < limit {
					part := limit - distance
					way := planOf(center[l.base+centerline.After(i, l.n)]).Sub(planOf(center[l.base+i])).Len()
					weight := float32(float32(way*part) * part)
					sum += float32(weight * (heightAt(other, l, center) - z))
					weights += weight
				}
			}
		}
	}
	if !(weights > 0) {
		return z // every segment within reach has no length
	}
	return z + sum/weights
}

// reach is the first half of smooth heights: it gives each cell how much farther than the nearest segment one may be to
// count, in track units. That is 0 on the road, which is between outer and inner, and at the distance r from the road
// the smaller of limit and 2r. Cells of tracks without heights keep their values. Arguments and groups are those of
// nearest.
//
//kernel:group lanes=64
//kernel:unproven
//kernel:iterations nearestIterations(maxPoints, lanes)
func reach(g kernel.Group, work, active []int32, maxPoints, side int32, limit float32,
	outer, inner []kernel.Vec3, count, valid []int32, low, high, roadLow, roadHigh []kernel.Vec2, height []float32) {
	if g.ID >= work[0] {
		return
	}
	t := TileOf(g.ID, side, TileSide, active)
	l := lineOf(t.Env, maxPoints, count)
	for k := range g.Each(TileSide * TileSide) {
		x := t.Left + k%TileSide
		y := t.Top + k/TileSide
		if x < side && y < side && l.n >= 3 && valid[t.Env] != 0 {
			p := MiddleOf(x, y, side, low[t.Env], high[t.Env])
			squared := roadSquared(p, l, outer, inner, roadLow, roadHigh)
			height[t.Env*side*side+y*side+x] = kernel.Min(float32(2*kernel.Sqrt(squared)), limit)
		}
	}
}

// smooth gives each cell of the grids of the active envs its blended height, see blended. height holds what reach has
// written. Arguments and groups are those of nearest.
//
//kernel:group lanes=64
//kernel:unproven
//kernel:iterations smoothIterations(maxPoints, lanes)
func smooth(g kernel.Group, work, active []int32, maxPoints, side int32, center []kernel.Vec3,
	count, valid []int32, low, high, boxLow, boxHigh []kernel.Vec2, height []float32) {
	if g.ID >= work[0] {
		return
	}
	t := TileOf(g.ID, side, TileSide, active)
	l := lineOf(t.Env, maxPoints, count)
	for k := range g.Each(TileSide * TileSide) {
		x := t.Left + k%TileSide
		y := t.Top + k/TileSide
		if x < side && y < side {
			cell := t.Env*side*side + y*side + x
			z := kernel.NaN()
			if l.n >= 3 && valid[t.Env] != 0 {
				p := MiddleOf(x, y, side, low[t.Env], high[t.Env])
				f := nearestFoot(p, l, center, boxLow, boxHigh)
				z = blended(p, f, height[cell], l, center, boxLow, boxHigh)
			}
			height[cell] = z
		}
	}
}
