package export

import (
	"fmt"

	"github.com/trackgen-go/trackgen/kernel"
	"github.com/trackgen-go/trackgen/track"
)

// trackSubject are the tracks of a batch.
type trackSubject struct{ batch *track.Batch }

func (s trackSubject) envs() int              { return s.batch.Envs }
func (s trackSubject) things() string         { return "tracks" }
func (s trackSubject) isValid(e int) bool     { return s.batch.Valid[e] != 0 }
func (s trackSubject) reasons(e int) []string { return ReasonNames(s.batch, e) }
func (s trackSubject) hasProfile() bool       { return true }
func (s trackSubject) hitText() string        { return "out of bounds" }

func (s trackSubject) seedOf(e int) (seed, epoch int32) {
	return numberOf(s.batch.Seed, e), numberOf(s.batch.Epoch, e)
}

func (s trackSubject) noteOf(e int, unit string) string {
	return fmt.Sprintf("length %s, %d points", lengthText(float64(s.batch.Length[e]), unit), s.batch.Count[e])
}

func (s trackSubject) cellSize(p *page) int {
	switch {
	case p.View == ViewOblique, p.Layers != nil:
		return largerCell(p)
	case p.hills:
		return 280
	default:
		return DefaultCellSize
	}
}

// lines returns the three lines of env e.
func (s trackSubject) lines(e int) (outer, center, inner []kernel.Vec3) {
	b := s.batch
	return b.Points(b.Outer, e), b.Points(b.Center, e), b.Points(b.Inner, e)
}

func (s trackSubject) survey(e int) survey {
	out := survey{plan: noBounds(), heights: noInterval()}
	outer, center, inner := s.lines(e)
	all := noInterval()
	for i, line := range [][]kernel.Vec3{center, outer, inner} {
		for _, v := range line {
			if !finite(v.X) || !finite(v.Y) {
				continue
			}
			out.plan = out.plan.with(point{float64(v.X), float64(v.Y)})
			if finite(v.Z) {
				all = all.with(float64(v.Z))
			}
			if finite(v.Z) && i == 0 {
				out.heights = out.heights.with(float64(v.Z))
			}
		}
	}
	out.spread = max(0, out.plan.size())
	if !out.heights.empty() {
		out.hills, out.clearance = out.heights.size() > 0, out.heights.low-all.low
	}
	return out
}

func (s trackSubject) visit(e int, c camera, take func(point)) {
	outer, center, inner := s.lines(e)
	for _, line := range [][]kernel.Vec3{center, outer, inner} {
		for i, v := range line {
			if !visible(c, v) {
				continue
			}
			at, _ := c.look(v)
			if c.oblique() && visible(c, center[i]) {
				at = c.flat(c.beside(vectorOf(center[i]), vectorOf(v)))
			}
			take(at)
		}
	}
}

func (s trackSubject) figure(p *page, e int, t projection) figure {
	l := s.linesOf(e, t)
	return figure{longest: max(l.outerLength, l.centerLength, l.innerLength), draw: func(c canvas) {
		switch {
		case p.Layers != nil && t.oblique():
			s.drawStandingCourse(c, p, e, t)
		case p.Layers != nil:
			s.drawCourse(c, p, e, l)
		case p.hills || p.View == ViewOblique:
			s.drawHills(c, p, e, l)
		default:
			s.drawTrack(c, p, e, l)
		}
	}}
}

// trackLines holds the lines of a track, in pixels.
type trackLines struct {
	projection
	outer, center, inner                   []point
	outerLength, centerLength, innerLength float64
}

// linesOf returns the lines of env e, in pixels.
func (s trackSubject) linesOf(e int, t projection) trackLines {
	l := trackLines{projection: t}
	outer, center, inner := s.lines(e)
	l.outer, l.outerLength = thin(t.loop(outer))
	l.center, l.centerLength = thin(t.loop(center))
	l.inner, l.innerLength = thin(t.loop(inner))
	return l
}

// drawTrack draws the road of env e.
func (s trackSubject) drawTrack(c canvas, p *page, e int, l trackLines) {
	road, edge, dash, start := roadColor, borderColor, dashColor, startColor
	if !s.isValid(e) {
		road, edge, dash, start = invalidRoad, invalidEdge, invalidDash, invalidStart
	}
	// The inner border runs backward, so every piece of road between the borders winds in the same direction. Then the
	// nonzero rule fills exactly the road, even if it crosses itself. For a road that does not cross itself, the
	// even-odd rule would give the same result.
	c.fill([][]point{l.outer, reversed(l.inner)}, road)
	for _, border := range [][]point{l.outer, l.inner} {
		c.line(border, stroke{width: 1.2, color: edge, closed: true})
	}
	width := s.roadWidth(e, l.projection)
	if width >= narrowRoad && l.centerLength <= longestDashed*float64(p.CellSize) {
		c.line(l.center, stroke{width: 1, color: dash, closed: true, dash: clamp(0.25*width, 2, 6)})
	}
	s.drawStart(c, e, l.projection, l.center, width, start)
}

// drawCourse draws the road of env e in a pale colour, with the layers of its course. Over the ground, it draws the
// borders alone; over a distance field, as white lines on the black line where distances are 0.
func (s trackSubject) drawCourse(c canvas, p *page, e int, l trackLines) {
	layers := layersDrawing{p, p.layersOf(e), l.projection, c}
	layers.drawBelow()
	edge, start := borderColor, startColor
	if !s.isValid(e) {
		edge, start = invalidEdge, invalidStart
	}
	width := s.roadWidth(e, l.projection)
	border := stroke{width: 1.2, color: edge, closed: true}
	switch {
	case layers.Field != nil:
		border.width, border.color = 0.8, fieldEdge
	case !layers.hasArea():
		road := paleRoad
		if !s.isValid(e) {
			road = invalidRoad
		}
		c.fill([][]point{l.outer, reversed(l.inner)}, road)
	}
	for _, line := range [][]point{l.outer, l.inner} {
		c.line(line, border)
	}
	layers.drawLine(width)
	s.drawStart(c, e, l.projection, l.center, width, start)
	layers.drawOn()
	layers.drawNumbers()
}

// drawStart draws the start line and the arrow behind it.
func (s trackSubject) drawStart(c canvas, e int, t projection, center []point, width float64, color rgb) {
	if s.batch.Count[e] == 0 {
		return
	}
	first := e * s.batch.NMax
	line := t.loop([]kernel.Vec3{s.batch.Outer[first], s.batch.Inner[first]})
	if len(line) == 2 && line[0] != line[1] {
		c.line(line, stroke{width: clamp(0.14*width, 1.5, 4), color: color})
	}
	length := clamp(0.6*width, 8, 16)
	tail, tip := walk(center, 0.5*length), walk(center, 1.5*length)
	norm := distance(tail, tip)
	if norm < 1 {
		return
	}
	dx, dy := (tip.x-tail.x)/norm, (tip.y-tail.y)/norm
	half := 0.42 * length
	c.fill([][]point{{
		tip,
		{round(tail.x - float64(dy*half)), round(tail.y + float64(dx*half))},
		{round(tail.x + float64(dx*(0.25*length))), round(tail.y + float64(dy*(0.25*length)))},
		{round(tail.x + float64(dy*half)), round(tail.y - float64(dx*half))},
	}}, color)
}

// roadWidth returns the width of the road in pixels, at the first point where both borders are finite.
func (s trackSubject) roadWidth(e int, t projection) float64 {
	outer, inner := s.batch.Points(s.batch.Outer, e), s.batch.Points(s.batch.Inner, e)
	for i := range outer {
		if across := t.loop([]kernel.Vec3{outer[i], inner[i]}); len(across) == 2 {
			return distance(across[0], across[1])
		}
	}
	return 0
}
