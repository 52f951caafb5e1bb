package export

import (
	"math"

	"github.com/trackgen-go/trackgen/kernel"
)

// fieldBands is the number of bands of colours on either side of the zero line of a distance field.
const fieldBands = 8

// The scale of distances, from the farthest place beside the road over its border to the farthest place on it: the ends
// of two scales of ColorBrewer (C. Brewer), which people of any colour vision can tell apart.
var (
	besideScale = [...]rgb{{0xf6, 0xe3, 0xcf}, {0xfd, 0xb8, 0x63}, {0xb3, 0x58, 0x06}}
	onRoadScale = [...]rgb{{0xd6, 0xe6, 0xf2}, {0x6b, 0xae, 0xd6}, {0x08, 0x45, 0x94}}
	zeroColor   = rgb{0x10, 0x14, 0x1a}
)

// drawable reports whether the field has an area and all of its distances are finite.
func (f *DistanceField) drawable() bool {
	low, high := pointOf2(f.Low), pointOf2(f.High)
	if !low.finite() || !high.finite() || !(low.x < high.x) || !(low.y < high.y) {
		return false
	}
	for _, d := range f.Distance {
		if !finite(d) {
			return false
		}
	}
	return true
}

// distances returns the range of the distances.
func (f *DistanceField) distances() interval {
	out := noInterval()
	for _, d := range f.Distance {
		out = out.with(float64(d))
	}
	return out
}

// fieldColor returns the colour of a distance. Each side of 0 has the whole of its scale, because a road is much
// narrower than the ground beside it.
func fieldColor(d float64, all interval) rgb {
	scale, t := onRoadScale, d/all.high
	if d < 0 {
		scale, t = besideScale, d/all.low
	}
	t = clamp(t, 0, 1) * 2
	if t < 1 {
		return blend(scale[0], scale[1], t)
	}
	return blend(scale[1], scale[2], t-1)
}

// fieldLevel is the lower end of a band of the field, which covers everything above it.
type fieldLevel struct {
	from  float64
	color rgb
}

// fieldLevels returns the bands from the lowest one on.
func fieldLevels(all interval) []fieldLevel {
	var out []fieldLevel
	for _, side := range [2]interval{{all.low, min(all.high, 0)}, {max(all.low, 0), all.high}} {
		if step := side.size() / fieldBands; step > 0 {
			for k := range fieldBands {
				from := side.low + float64(float64(k)*step)
				out = append(out, fieldLevel{from, fieldColor(from+step/2, all)})
			}
		}
	}
	return out
}

// draw draws the field in bands of equal distance, with a line where it is 0. Each band is drawn over the one below it,
// so that no gap shows between them.
func (f *DistanceField) draw(c canvas, t projection, all interval) {
	if !f.drawable() || all.empty() {
		return
	}
	const zeroWidth = 2.4 // pixels
	grid := newCellGrid(f.Resolution, f.Low, f.High, f.Distance, t)
	for i, level := range fieldLevels(all) {
		if i == 0 {
			level.from = math.Inf(-1) // rounding must not leave a cell without a colour
		}
		if area := grid.above(level.from); len(area) > 0 {
			c.fill(area, level.color)
		}
	}
	for _, line := range grid.above(0) {
		c.line(line, stroke{width: zeroWidth, color: zeroColor, closed: true})
	}
}

// cellGrid is a grid of numbers in pixels, flat on the ground: its cells, a frame around them at the edge of the area,
// which has the numbers of the cells beside it, and at the same places a second frame below all levels, so that all
// contours are closed.
type cellGrid struct {
	projection
	x, y  []float64   // of the columns and of the rows, in units of length
	value [][]float64 // by row
}

// newCellGrid returns the grid of values [resolution*resolution] at the middles of the cells between two corners.
func newCellGrid(resolution int, from, to kernel.Vec2, values []float32, t projection) *cellGrid {
	const frames = 2
	size := resolution + 2*frames
	g := &cellGrid{projection: t, x: make([]float64, size), y: make([]float64, size)}
	low, high := pointOf2(from), pointOf2(to)
	for i := range size {
		at := clamp((float64(i-frames)+0.5)/float64(resolution), 0, 1)
		g.x[i], g.y[i] = low.x+float64((high.x-low.x)*at), low.y+float64((high.y-low.y)*at)
	}
	inside := func(i int) int { return min(max(i-frames, 0), resolution-1) }
	outer := func(i int) bool { return i == 0 || i == size-1 }
	for j := range size {
		row := make([]float64, size)
		for i := range row {
			row[i] = float64(values[inside(j)*resolution+inside(i)])
			if outer(i) || outer(j) {
				row[i] = math.Inf(-1)
			}
		}
		g.value = append(g.value, row)
	}
	return g
}

// above returns the contours of the area in which numbers are at least level, to be filled by the nonzero rule
// (marching squares). A contour goes from square to square through the sides that it crosses.
func (g *cellGrid) above(level float64) [][]point {
	if math.IsInf(level, -1) {
		level = -math.MaxFloat64
	}
	const none = -1
	width := len(g.x)
	next := make([]int32, 2*width*width) // by the side on which a contour enters a square: that on which it leaves it
	for i := range next {
		next[i] = none
	}
	var starts []int32
	for j := range width - 1 {
		for i := range width - 1 {
			corners := [4]float64{g.value[j][i], g.value[j][i+1], g.value[j+1][i+1], g.value[j+1][i]}
			// Side k goes from corner k to the next one.
			sides := [4]int{2 * (j*width + i), 2*(j*width+i+1) + 1, 2 * ((j+1)*width + i), 2*(j*width+i) + 1}
			for k := range corners {
				if corners[k] < level || corners[(k+1)%4] >= level {
					continue
				}
				m := (k + 1) % 4 // the next side that goes up again; two areas that meet in a square are one
				for corners[m] >= level || corners[(m+1)%4] < level {
					m = (m + 1) % 4
				}
				next[sides[k]] = int32(sides[m])
				starts = append(starts, int32(sides[k]))
			}
		}
	}
	var out [][]point
	for _, start := range starts {
		var contour []point
		for at := start; next[at] != none; {
			p := g.crossing(int(at), level)
			if len(contour) == 0 || p != contour[len(contour)-1] {
				contour = append(contour, p)
			}
			at, next[at] = next[at], none
		}
		if len(contour) > 2 {
			out = append(out, contour)
		}
	}
	return out
}

// at returns a place of the grid in pixels.
func (g *cellGrid) at(i, j int) point { return g.show(g.on(point{g.x[i], g.y[j]}, nothing)) }

// crossing returns the place on a side of a square where the number is level.
func (g *cellGrid) crossing(side int, level float64) point {
	width := len(g.x)
	j, i := side/2/width, side/2%width
	toJ, toI := j, i+1
	if side%2 == 1 {
		toJ, toI = j+1, i
	}
	a, b := g.at(i, j), g.at(toI, toJ)
	from, to := g.value[j][i], g.value[toJ][toI]
	switch { // a contour along the frame
	case math.IsInf(from, -1):
		return b
	case math.IsInf(to, -1):
		return a
	}
	at := between(a, b, (level-from)/(to-from))
	return point{round(at.x), round(at.y)}
}
