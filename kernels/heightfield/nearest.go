package heightfield

import (
	"github.com/trackgen-go/trackgen/kernel"
	"github.com/trackgen-go/trackgen/kernels/centerline"
)

const (
	// TileSide is the side of the square of cells that one group bakes.
	TileSide = 16

	minSquared = 1e-12 // floor of the squared length that the part of a segment is divided by
)

// Tiles returns the number of tiles of a grid of side*side cells.
func Tiles(side int32) int32 { return TilesOf(side, TileSide) }

// TilesOf returns the number of tiles of a grid of side*side cells, of tile*tile cells each.
func TilesOf(side, tile int32) int32 {
	row := (side + tile - 1) / tile
	return row * row
}

// line is a closed line with its boxes, as the searches read it: the elements [base, base+n) of the points, and the
// boxes from first on, of which the nodes follow the leaves.
type line struct{ base, n, first, leaves int32 }

// lineOf returns the line of an env.
func lineOf(env, maxPoints int32, count []int32) line {
	n := count[env]
	if n > maxPoints {
		n = maxPoints
	}
	leaves := Leaves(maxPoints)
	return line{base: env * maxPoints, n: n, first: env * (leaves + Nodes(maxPoints)), leaves: leaves}
}

// Tile is a part of the grid of an env: the cells from column left and row top on.
type Tile struct{ Env, Left, Top int32 }

// TileOf returns the tile of a group, of tile*tile cells. The tiles of the active envs follow each other.
func TileOf(group, side, tile int32, active []int32) Tile {
	tiles := TilesOf(side, tile)
	row := (side + tile - 1) / tile
	return Tile{Env: active[group/tiles+1], Left: group % tiles % row * tile, Top: group % tiles / row * tile}
}

// foot is the nearest point of a segment: its squared distance, and its part of the way from the begin of the segment.
type foot struct {
	squared, part float32
	segment       int32
}

// footOn returns the nearest point of a segment of a line (C-21).
func footOn(p kernel.Vec2, segment int32, l line, center []kernel.Vec3) foot {
	a := planOf(center[l.base+segment])
	d := planOf(center[l.base+centerline.After(segment, l.n)]).Sub(a)
	u := kernel.Clamp(p.Sub(a).Dot(d)/kernel.Max(d.Dot(d), minSquared), 0, 1)
	away := p.Sub(pointAt(a, d, u))
	return foot{squared: away.Dot(away), part: u, segment: segment}
}

// heightAt returns the height of the centreline at a foot.
func heightAt(f foot, l line, center []kernel.Vec3) float32 {
	from := center[l.base+f.segment].Z
	return from + float32((center[l.base+centerline.After(f.segment, l.n)].Z-from)*f.part)
}

// nearBegin returns a segment that is probably near a point: that of the nearest first point of a leaf.
func nearBegin(p kernel.Vec2, l line, point []kernel.Vec3) int32 {
	begin := int32(0)
	best := float32(farAway)
	for i := int32(0); i < l.n; i += LeafSegments {
		away := p.Sub(planOf(point[l.base+i]))
		if away.Dot(away) < best {
			best = away.Dot(away)
			begin = i
		}
	}
	return begin
}

// nearestFoot returns the nearest point of the line, on the first of the segments that are equally near.
func nearestFoot(p kernel.Vec2, l line, center []kernel.Vec3, boxLow, boxHigh []kernel.Vec2) foot {
	best := footOn(p, nearBegin(p, l, center), l, center)
	for node := int32(0); node < Nodes(l.n); node++ {
		at := l.first + l.leaves + node
		if squaredTo(p, boxLow[at], boxHigh[at]) > best.squared {
			continue
		}
		for leaf := node * NodeLeaves; leaf < (node+1)*NodeLeaves && leaf < Leaves(l.n); leaf++ {
			if squaredTo(p, boxLow[l.first+leaf], boxHigh[l.first+leaf]) > best.squared {
				continue
			}
			for i := leaf * LeafSegments; i < (leaf+1)*LeafSegments && i < l.n; i++ {
				f := footOn(p, i, l, center)
				if f.squared < best.squared || (f.squared == best.squared && i < best.segment) {
					best = f
				}
			}
		}
	}
	return best
}

// plan writes the number of groups that bake the active envs: work[0] becomes that of the envs times that of the tiles
// of a grid.
//
//kernel:thread
func plan(i int32, active []int32, tiles int32, work []int32) {
	work[i] = active[i] * tiles
}

// nearest gives each cell of the grids of the active envs the height of the nearest point of the centreline in plan
// view (C-21). height is [E, side, side]. It is NaN in all cells of a track that is not valid or has fewer than 3
// points.
//
// One group is one tile of an env: those of the active envs follow each other, and work[0] is their number. kernelgen
// cannot prove that tiles have no cell in common.
//
//kernel:group lanes=64
//kernel:unproven
//kernel:iterations nearestIterations(maxPoints, lanes)
func nearest(g kernel.Group, work, active []int32, maxPoints, side int32, center []kernel.Vec3,
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
			z := kernel.NaN()
			if l.n >= 3 && valid[t.Env] != 0 {
				p := MiddleOf(x, y, side, low[t.Env], high[t.Env])
				z = heightAt(nearestFoot(p, l, center, boxLow, boxHigh), l, center)
			}
			height[t.Env*side*side+y*side+x] = z
		}
	}
}
