package heightfield_test

import (
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/trackgen-go/trackgen/heightfield"
	"github.com/trackgen-go/trackgen/kernel"
	"github.com/trackgen-go/trackgen/track"
)

// steepest returns the largest difference of the heights of two cells side by side.
func steepest(g *heightfield.Grid, e int) float64 {
	cells, n, largest := g.Of(e), g.Resolution, 0.0
	for i, z := range cells {
		if i%n+1 < n {
			largest = max(largest, math.Abs(float64(cells[i+1]-z)))
		}
		if i+n < len(cells) {
			largest = max(largest, math.Abs(float64(cells[i+n]-z)))
		}
	}
	return largest
}

// The heights of Smooth are continuous: with cells of an eighth of the size, the steps between cells are a few times
// smaller. Those of Nearest keep their steps.
func TestSmoothIsContinuous(t *testing.T) {
	device := openCPU(t)
	batch := tracksOf(t, device, hilly(4))
	coarse, fine := configOf(48, heightfield.Smooth), configOf(8*48, heightfield.Smooth)
	fine.Blend.Length, coarse.Blend.Length = 0.3, 0.3
	before, after := bake(t, device, batch, coarse), bake(t, device, batch, fine)
	fine.Blend.Mode = heightfield.Nearest
	steps := bake(t, device, batch, fine)
	for e := range batch.Envs {
		if batch.Valid[e] == 0 {
			continue
		}
		assert.Less(t, steepest(after, e), 0.4*steepest(before, e), "env %d", e)
		assert.Greater(t, steepest(steps, e), 2.5*steepest(after, e), "env %d", e)
	}
}

// smoothOf is the formula of Smooth in float64, with all segments.
func smoothOf(b *track.Batch, e int, x, y, limit float64) float64 {
	n := int(b.Count[e])
	row := func(points []kernel.Vec3) []kernel.Vec3 { return points[e*b.NMax : e*b.NMax+n] }
	center, outer, inner := row(b.Center), row(b.Outer), row(b.Inner)
	nearest, road, height := math.Inf(1), math.Inf(1), 0.0
	for i := range n {
		j := (i + 1) % n
		if d, u := toSegment(x, y, center[i], center[j]); d < nearest {
			nearest, height = d, float64(center[i].Z)+u*float64(center[j].Z-center[i].Z)
		}
		if onRoad(x, y, outer[i], outer[j], inner[j], inner[i]) {
			road = 0
		}
		for _, border := range [][]kernel.Vec3{outer, inner} {
			d, _ := toSegment(x, y, border[i], border[j])
			road = min(road, d)
		}
	}
	reach := min(2*road, limit)
	if reach == 0 {
		return height
	}
	sum, weights := 0.0, 0.0
	for i := range n {
		a, c := center[i], center[(i+1)%n]
		d, u := toSegment(x, y, a, c)
		part := max(0, 1-(d-nearest)/reach)
		weight := math.Hypot(float64(c.X-a.X), float64(c.Y-a.Y)) * part * part
		sum += weight * (float64(a.Z) + u*float64(c.Z-a.Z))
		weights += weight
	}
	return sum / weights
}

// toSegment returns the distance of a point from a segment, and the part of the segment before the nearest point.
func toSegment(x, y float64, a, c kernel.Vec3) (distance, part float64) {
	dx, dy := float64(c.X)-float64(a.X), float64(c.Y)-float64(a.Y)
	px, py := x-float64(a.X), y-float64(a.Y)
	part = min(max((px*dx+py*dy)/max(dx*dx+dy*dy, 1e-12), 0), 1)
	return math.Hypot(px-part*dx, py-part*dy), part
}

// onRoad reports whether a point is in a convex quadrilateral.
func onRoad(x, y float64, corners ...kernel.Vec3) bool {
	left, right := true, true
	for i, a := range corners {
		c := corners[(i+1)%len(corners)]
		cross := float64(c.X-a.X)*(y-float64(a.Y)) - float64(c.Y-a.Y)*(x-float64(a.X))
		left, right = left && cross >= 0, right && cross <= 0
	}
	return left || right
}

// The heights of Smooth are those of the formula, and on the road they have the bits of Nearest.
func TestSmoothIsTheFormula(t *testing.T) {
	device := openCPU(t)
	batch := tracksOf(t, device, hilly(5))
	for _, limit := range []float64{0, 0.07} {
		c := configOf(40, heightfield.Smooth)
		c.Blend.Length = limit
		if limit == 0 {
			limit = math.Inf(1)
		}
		smooth, nearest := bake(t, device, batch, c), bake(t, device, batch, configOf(40, heightfield.Nearest))
		road, ground := 0, 0
		for e := range batch.Envs {
			if batch.Valid[e] == 0 {
				continue
			}
			for i, z := range smooth.Of(e) {
				x, y := smooth.Middle(e, i%40, i/40)
				require.InDelta(t, smoothOf(batch, e, x, y, limit), z, 2e-5, "env %d, cell %d", e, i)
				squared, _ := nearestOf(batch, e, kernel.V2(float32(x), float32(y)))
				if squared < 0.045*0.045 { // the road is 0.05 wide on each side
					require.Equal(t, math.Float32bits(nearest.Of(e)[i]), math.Float32bits(z), "env %d, cell %d", e, i)
					road++
				} else if z != nearest.Of(e)[i] {
					ground++
				}
			}
		}
		assert.Greater(t, road, 300)
		assert.Greater(t, ground, 1000)
	}
}

// A level track has level ground, exactly.
func TestLevelTracksHaveLevelGround(t *testing.T) {
	device := openCPU(t)
	c := hilly(3)
	c.Elevation.Profile, c.Road.Height = "flat", 0.7
	for _, mode := range []string{heightfield.Nearest, heightfield.Smooth} {
		grid := bake(t, device, tracksOf(t, device, c), configOf(16, mode))
		for _, z := range grid.Height {
			require.Equal(t, float32(0.7), z)
		}
	}
}

// A segment without length has no weight, and a line of such segments alone has the height of its first point.
func TestSmoothOfPointsInOnePlace(t *testing.T) {
	point := kernel.V3(1, 2, 3)
	batch := batchOf(0.5, []kernel.Vec3{point, point, point})
	c := configOf(8, heightfield.Smooth)
	c.Padding = 1
	for _, z := range bake(t, openCPU(t), batch, c).Height {
		require.Equal(t, float32(3), z)
	}
}

// A point that is repeated makes a piece of road without an area, on which no place is: not those of the line through
// its cross-section, nor all places if the road has no width.
func TestSmoothOfRepeatedPoints(t *testing.T) {
	device := openCPU(t)
	once := []kernel.Vec3{kernel.V3(-1, 0, 0), kernel.V3(0, 1, 1), kernel.V3(1, 0, 3), kernel.V3(0, -1, 1)}
	c := configOf(9, heightfield.Smooth)
	c.Padding = 1
	for _, half := range []float32{0, 0.25} {
		want := batchOf(half, once)
		repeated := batchOf(half, append(once[:1:1], once...))
		repeated.Outer[0], repeated.Inner[0] = repeated.Outer[1], repeated.Inner[1]
		smooth := bake(t, device, want, c).Height
		require.Equal(t, smooth, bake(t, device, repeated, c).Height, "half width %v", half)
		c.Blend.Mode = heightfield.Nearest
		require.NotEqual(t, smooth, bake(t, device, want, c).Height)
		c.Blend.Mode = heightfield.Smooth
	}
}
