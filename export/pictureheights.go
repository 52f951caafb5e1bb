package export

import (
	"math"
	"strconv"
	"strings"
)

// groundBands is the number of bands of the colours of the ground.
const groundBands = 10

// tintScale has the tints of heights of the ground from low to high, as maps have them. They grow darker evenly, so
// that people of any colour vision see the same order, and are pale beside the colours of what lies on them.
var tintScale = [...]rgb{{0xe6, 0xef, 0xd9}, {0xcf, 0xc4, 0x98}, {0xb5, 0x8f, 0x68}}

var equalHeightColor = rgb{0x7a, 0x55, 0x33}

// tint returns the colour at fraction t, 0 to 1, of a range of heights of the ground.
func tint(t float64) rgb {
	if t = clamp(t, 0, 1) * 2; t < 1 {
		return blend(tintScale[0], tintScale[1], t)
	}
	return blend(tintScale[1], tintScale[2], t-1)
}

// drawable reports whether the grid has an area and all of its heights are finite.
func (g *HeightGrid) drawable() bool {
	low, high := pointOf2(g.Low), pointOf2(g.High)
	if !low.finite() || !high.finite() || !(low.x < high.x) || !(low.y < high.y) {
		return false
	}
	for _, z := range g.Height {
		if !finite(z) {
			return false
		}
	}
	return true
}

// heights returns the range of the heights.
func (g *HeightGrid) heights() interval {
	out := noInterval()
	for _, z := range g.Height {
		out = out.with(float64(z))
	}
	return out
}

// draw draws the ground from above: in bands of equal height or, over colours of something else, as lines of equal
// height between these bands.
func (g *HeightGrid) draw(c canvas, t projection, all interval, lines bool) {
	if !g.drawable() || all.empty() {
		return
	}
	grid := newCellGrid(g.Resolution, g.Low, g.High, g.Height, t)
	step := all.size() / groundBands
	for k := range groundBands {
		from, color := all.low+float64(float64(k)*step), tint((float64(k)+0.5)/groundBands)
		if k == 0 {
			from = math.Inf(-1) // rounding must not leave a cell without a colour
		}
		switch area := grid.above(from); {
		case len(area) == 0:
		case !lines:
			c.fill(area, color)
		case k > 0:
			for _, line := range area {
				c.line(line, stroke{width: 1, color: equalHeightColor, closed: true})
			}
		}
		if !(step > 0) {
			return
		}
	}
}

// groundScale is the scale of the heights of the ground, in the bands in which it is drawn.
func (p *page) groundScale(heights interval) colorScale {
	low, high := heightText(heights.low), heightText(heights.high)
	return colorScale{group: "colours of the ground", texts: [2]string{"ground at " + low, p.unitsText(high)},
		shortTexts: [2]string{low, high}, color: func(t float64) rgb {
			return tint((float64(min(int(t*groundBands), groundBands-1)) + 0.5) / groundBands)
		}}
}

// groundText says what the lines of the ground over a distance field are.
func (p *page) groundText() string {
	if p.View == ViewOblique {
		return "ground"
	}
	return "equal height of the ground, every " + p.unitsText(shortNumber(p.ranges.heights.size()/groundBands, 2))
}

// groundNumber formats a height of the ground with two digits of the range of all.
func (p *page) groundNumber(height float64) string {
	step := p.ranges.heights.size() / 50
	decimals := int(clamp(-math.Floor(math.Log10(step)), 0, 12))
	return strings.ReplaceAll(strconv.FormatFloat(height, 'f', decimals, 64), "-", "−")
}

// addGround adds the ground as a surface in space, of squares of several cells each: filled, or as a net of lines over
// colours of something else.
func (s *scene) addGround(g *HeightGrid, all interval, net bool) {
	most := 48 // squares along each side
	if net {
		most = 24
	}
	if !g.drawable() || all.empty() || net && all.size() == 0 {
		return
	}
	low, high, n := pointOf2(g.Low), pointOf2(g.High), min(g.Resolution-1, most)
	// The corners of squares are middles of cells.
	cell := func(i int) int { return i * (g.Resolution - 1) / n }
	corner := func(i, j int) (vector3, float64) {
		x, y := (float64(cell(i))+0.5)/float64(g.Resolution), (float64(cell(j))+0.5)/float64(g.Resolution)
		z := g.Height[cell(j)*g.Resolution+cell(i)]
		return s.on(point{low.x + float64((high.x-low.x)*x), low.y + float64((high.y-low.y)*y)}, z), float64(z)
	}
	for j := range n {
		for i := range n {
			a, za := corner(i, j)
			b, zb := corner(i+1, j)
			c, zc := corner(i+1, j+1)
			d, zd := corner(i, j+1)
			color := tint(all.at((za + zb + zc + zd) / 4))
			// A square lies behind all that stands on it.
			piece := part{depth: min(s.back.dot(a), s.back.dot(b), s.back.dot(c), s.back.dot(d)),
				pen: stroke{width: 0.6, color: blend(color, equalHeightColor, 0.35), closed: true}}
			outline := []point{s.show(a), s.show(b), s.show(c), s.show(d)}
			piece.lines = [][]point{outline}
			if !net {
				piece.fill, piece.color = outline, color
			}
			s.parts = append(s.parts, piece)
		}
	}
}
