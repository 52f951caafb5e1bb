package export

import (
	"math"

	"github.com/trackgen-go/trackgen/kernel"
)

// roadSlice is the road across the way at one point.
type roadSlice struct {
	outer, inner vector3 // as the camera shows them
	height       float64 // of the middle
}

func (a roadSlice) middle() vector3 { return a.outer.toward(a.inner, 0.5) }

func (a roadSlice) toward(b roadSlice, t float64) roadSlice {
	return roadSlice{a.outer.toward(b.outer, t), a.inner.toward(b.inner, t),
		a.height + float64((b.height-a.height)*t)}
}

// roadPaint says how a road is drawn.
type roadPaint struct {
	surface          func(height float64) rgb
	edge             rgb
	start, startEdge rgb
}

// paintOf returns how the road of env e is drawn.
func (s trackSubject) paintOf(p *page, e int) roadPaint {
	switch heights := p.scopeOf(e).heights; {
	case !s.isValid(e):
		return roadPaint{func(float64) rgb { return invalidRoad }, invalidEdge, invalidStart, invalidStart}
	case !p.hills:
		return roadPaint{func(float64) rgb { return roadColor }, borderColor, startColor, borderColor}
	default:
		return roadPaint{func(z float64) rgb { return heightColor(heights.at(z)) }, borderColor, cardColor, borderColor}
	}
}

// narrowest is the least width of a coloured road, in pixels: the colour of a narrower one could not be seen.
const narrowest = 4

// widened returns the slice with at least the given width, if it has any.
func (a roadSlice) widened(least float64) roadSlice {
	width := a.outer.minus(a.inner).length()
	if width == 0 || width >= least {
		return a
	}
	middle, half := a.middle(), a.outer.minus(a.inner).times(0.5*least/width)
	a.outer, a.inner = middle.plus(half), middle.minus(half)
	return a
}

// slices returns the finite points of env e as the camera shows them, without those that are too near to the one before
// to be seen.
func (s trackSubject) slices(e int, t projection) []roadSlice {
	const closest = 1.5 // pixels
	outer, center, inner := s.lines(e)
	var out []roadSlice
	for i := range center {
		if !visible(t.camera, outer[i]) || !visible(t.camera, center[i]) || !visible(t.camera, inner[i]) {
			continue
		}
		slice := roadSlice{s.placed(t, center[i], outer[i]), s.placed(t, center[i], inner[i]),
			float64(center[i].Z)}.widened(narrowest / t.scale)
		if n := len(out); n == 0 || distance(t.show(slice.outer), t.show(out[n-1].outer)) >= closest ||
			distance(t.show(slice.inner), t.show(out[n-1].inner)) >= closest {
			out = append(out, slice)
		}
	}
	return out
}

func visible(c camera, v kernel.Vec3) bool {
	_, ok := c.look(v)
	return ok
}

// placed returns the place of a point of a border, beside that of the centreline. Heights that are not finite, which
// are not seen from above, count as 0.
func (s trackSubject) placed(t projection, center, v kernel.Vec3) vector3 {
	if !finite(center.Z) || !finite(v.Z) {
		center.Z, v.Z = 0, 0
	}
	return t.beside(vectorOf(center), vectorOf(v))
}

// drawHills draws the road of env e as a ribbon in space, and its profile.
func (s trackSubject) drawHills(c canvas, p *page, e int, l trackLines) {
	t, paint := l.projection, s.paintOf(p, e)
	road := s.slices(e, t)
	if t.oblique() {
		p.groundOf(e).draw(c, t)
		s.drawShadow(c, t, road)
	}
	if len(road) > 1 {
		view := scene{projection: t}
		view.addRoad(road, paint)
		view.addStart(road, paint)
		if t.oblique() {
			view.addPillars(road)
		}
		view.draw(c)
	}
	if p.hills {
		p.drawProfile(c, e, s.profileOf(e), paint, t)
	}
}

// drawShadow draws the ground below the road.
func (s trackSubject) drawShadow(c canvas, t projection, road []roadSlice) {
	var outer, inner []point
	for _, slice := range road {
		outer, inner = append(outer, t.show(below(slice.outer))), append(inner, t.show(below(slice.inner)))
	}
	if len(road) > 1 {
		c.fill([][]point{outer, reversed(inner)}, shadowColor)
	}
}

// addRoad adds the ribbon between the slices and from the last to the first.
func (s *scene) addRoad(road []roadSlice, paint roadPaint) {
	const longest = 6 // pixels
	for i, from := range road {
		to := road[(i+1)%len(road)]
		n := pieces(max(distance(s.show(from.outer), s.show(to.outer)), distance(s.show(from.inner), s.show(to.inner))),
			longest)
		n = max(1, min(n, mostPieces/len(road)))
		for k := range n {
			s.addPiece(from.toward(to, float64(k)/float64(n)), from.toward(to, float64(k+1)/float64(n)), paint)
		}
	}
}

// addPiece adds a piece of road. It is a little longer than from one slice to the other, so that no gap shows between
// pieces. In the oblique view it has a side below the border that is nearer to the viewer.
func (s *scene) addPiece(from, to roadSlice, paint roadPaint) {
	const (
		thinnest = 3 // pixels; thinner pieces get lines across, without which the ground would shine through
		inside   = 1 // pixels between these lines and the borders
	)
	color := paint.surface((from.height + to.height) / 2)
	depth := s.back.dot(from.middle().toward(to.middle(), 0.5))
	outer, inner := s.stretched(from.outer, to.outer), s.stretched(from.inner, to.inner)
	width := distance(between(outer[0], outer[1], 0.5), between(inner[0], inner[1], 0.5))
	pen := stroke{width: clamp(0.12*width, 0.5, 1.1), color: paint.edge}
	if s.oblique() {
		near := outer
		if outer[0].y+outer[1].y < inner[0].y+inner[1].y {
			near = inner
		}
		a, b, side := near[0], near[1], clamp(0.3*width, 1, 3)
		s.parts = append(s.parts, part{depth: depth, color: blend(color, borderColor, 0.55),
			fill: []point{a, b, {b.x, round(b.y + side)}, {a.x, round(a.y + side)}}})
	}
	surface := []point{outer[0], outer[1], inner[1], inner[0]}
	if areaOf(surface) < thinnest*width && width > 2*inside {
		var across [][]point
		for i := range outer {
			a, b := stretch(outer[i], inner[i], -inside)
			across = append(across, []point{a, b})
		}
		s.parts = append(s.parts, part{depth: depth, lines: across, pen: stroke{width: 1, color: color}})
	}
	s.parts = append(s.parts, part{depth: depth, color: color, fill: surface, lines: [][]point{outer, inner}, pen: pen})
}

// stretch moves the ends of a line apart by the given length each.
func stretch(a, b point, by float64) (point, point) {
	length := distance(a, b)
	if length == 0 {
		return a, b
	}
	dx, dy := by*(b.x-a.x)/length, by*(b.y-a.y)/length
	return point{round(a.x - dx), round(a.y - dy)}, point{round(b.x + dx), round(b.y + dy)}
}

// areaOf returns the area of an outline.
func areaOf(outline []point) float64 {
	area := 0.0
	for i, a := range outline {
		b := outline[(i+1)%len(outline)]
		area += float64((a.x-b.x)*(a.y+b.y)) / 2
	}
	return math.Abs(area)
}

// addStart adds the start line across the road at its first point, and an arrow in the direction of travel.
func (s *scene) addStart(road []roadSlice, paint roadPaint) {
	first := road[0]
	across := first.outer.minus(first.inner)
	width := across.length()
	if width == 0 {
		return
	}
	size := clamp(0.6*float64(width*s.scale), 8, max(16, 0.35*float64(width*s.scale))) / s.scale
	const above = 2.0 // pixels in front of the road
	front := above / s.scale
	thick := clamp(0.1*float64(width*s.scale), 1.5, 5) / s.scale
	way, ok := wayFrom(road, 1.5*size)
	if !ok {
		return
	}
	side := direction(way.cross(across.cross(way)), across.times(1/width))
	mid := first.middle()
	line := way.times(thick / 2)
	s.polygon([]vector3{first.outer.plus(line), first.inner.plus(line), first.inner.minus(line), first.outer.minus(line)},
		paint.start, paint.startEdge, front)
	tail, tip := mid.plus(way.times(0.5*size)), mid.plus(way.times(1.7*size))
	s.polygon([]vector3{tip, tail.plus(side.times(0.38 * size)), tail.plus(way.times(0.25 * size)),
		tail.minus(side.times(0.38 * size))}, paint.start, paint.startEdge, front)
}

// wayFrom returns the direction from the first slice of a road to the place this far along it.
func wayFrom(road []roadSlice, length float64) (vector3, bool) {
	from := road[0].middle()
	for i := 1; i <= len(road); i++ {
		way := road[i%len(road)].middle().minus(from)
		if norm := way.length(); norm >= length || norm > 0 && i >= len(road)/4 {
			return way.times(1 / norm), true
		}
	}
	return vector3{}, false
}

// addPillars adds vertical lines from the road to the ground, at equal distances in the picture.
func (s *scene) addPillars(road []roadSlice) {
	const apart = 16 // pixels
	left := 0.0
	for i, from := range road {
		to := road[(i+1)%len(road)]
		a, b := from.middle(), to.middle()
		length := distance(s.show(below(a)), s.show(below(b)))
		for ; left < length && len(s.parts) < 8*mostPieces; left += apart {
			top := a.toward(b, left/length)
			s.segment(below(top), top, stroke{width: 1, color: poleColor}, -math.Abs(2/s.scale))
		}
		left -= length
	}
}
