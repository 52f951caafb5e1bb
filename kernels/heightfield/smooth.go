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

// inTriangle reports whether a point is in a triangle or on its edge.
func inTriangle(p, a, b, c kernel.Vec2) bool {
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
	if inTriangle(p, a, b, c) || inTriangle(p, a, c, d) {
		return 0
	}
	return kernel.Min(squaredToSegment(p, a, b), squaredToSegment(p, d, c))
}

// roadSquared returns the squared distance of a point from the road. The search begins with the segment that is nearest
// to the point.
func roadSquared(p kernel.Vec2, begin int32, l line, outer, inner []kernel.Vec3,
	roadLow, roadHigh []kernel.Vec2) float32 {
	best := squaredToRoad(p, begin, l, outer, inner)
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
// nearest one, f. The weight of a segment is its length times (1 - t)^2, where t is how much farther it is than the
// nearest one, as a part of reach.
func blended(p kernel.Vec2, f foot, reach float32, l line, center []kernel.Vec3,
	boxLow, boxHigh []kernel.Vec2) float32 {
	z := heightAt(f, l, center)
	distance := kernel.Sqrt(f.squared)
	sum := float32(0)
	weights := float32(0)
	for node := int32(0); node < Nodes(l.n); node++ {
		at := l.first + l.leaves + node
		if kernel.Sqrt(squaredTo(p, boxLow[at], boxHigh[at]))-distance >= reach {
			continue
		}
		for leaf := node * NodeLeaves; leaf < (node+1)*NodeLeaves && leaf < Leaves(l.n); leaf++ {
			if kernel.Sqrt(squaredTo(p, boxLow[l.first+leaf], boxHigh[l.first+leaf]))-distance >= reach {
				continue
			}
			for i := leaf * LeafSegments; i < (leaf+1)*LeafSegments && i < l.n; i++ {
				other := footOn(p, i, l, center)
				farther := kernel.Sqrt(other.squared) - distance
				if farther < reach {
					part := 1 - farther/reach
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

// smooth is nearest with heights that are blended off the road, so that they are continuous. On the road, which is
// between outer and inner, a cell has the height that nearest gives it. At the distance r from the road, its height is
// blended over the segments that are at most reach farther away than the nearest one, where reach is the smaller of
// limit and 2r; with limit 0 it is 2r.
//
//kernel:group lanes=64
//kernel:unproven
//kernel:iterations smoothIterations(maxPoints, lanes)
func smooth(g kernel.Group, work, active []int32, maxPoints, side int32, limit float32,
	outer, center, inner []kernel.Vec3, count, valid []int32,
	low, high, boxLow, boxHigh, roadLow, roadHigh []kernel.Vec2, height []float32) {
	if g.ID >= work[0] {
		return
	}
	tiles := Tiles(side)
	env := active[g.ID/tiles+1]
	l := lineOf(env, maxPoints, count)
	row := (side + TileSide - 1) / TileSide
	left := g.ID % tiles % row * TileSide
	top := g.ID % tiles / row * TileSide
	for k := range g.Each(TileSide * TileSide / strip) {
		y := top + k/(TileSide/strip)
		begin := int32(0)
		for i := int32(0); i < strip; i++ {
			x := left + k%(TileSide/strip)*strip + i
			if x < side && y < side {
				z := kernel.NaN()
				if l.n >= 3 && valid[env] != 0 {
					p := middleOf(x, y, side, low[env], high[env])
					if i == 0 {
						begin = nearBegin(p, l, center)
					}
					f := nearestFoot(p, begin, l, center, boxLow, boxHigh)
					begin = f.segment
					reach := float32(2 * kernel.Sqrt(roadSquared(p, f.segment, l, outer, inner, roadLow, roadHigh)))
					if limit > 0 {
						reach = kernel.Min(reach, limit)
					}
					z = heightAt(f, l, center)
					if reach > 0 {
						z = blended(p, f, reach, l, center, boxLow, boxHigh)
					}
				}
				height[env*side*side+y*side+x] = z
			}
		}
	}
}
