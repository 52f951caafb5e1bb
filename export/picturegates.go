package export

import (
	"fmt"
	"io"
	"strconv"

	"github.com/trackgen-go/trackgen/gate"
	"github.com/trackgen-go/trackgen/kernel"
)

// WriteGatesSVG writes a picture of gate courses as SVG 1.1.
func WriteGatesSVG(w io.Writer, b *gate.Batch, p Picture) error {
	page, err := layOutGates(b, p)
	if err != nil {
		return err
	}
	return page.writeSVG(w)
}

// WriteGatesPNG writes a picture of gate courses as an anti-aliased PNG image.
func WriteGatesPNG(w io.Writer, b *gate.Batch, p Picture) error {
	page, err := layOutGates(b, p)
	if err != nil {
		return err
	}
	return page.writePNG(w)
}

// layOutGates lays out a picture of gate courses.
func layOutGates(b *gate.Batch, p Picture) (*page, error) {
	if err := checkGates(b); err != nil {
		return nil, err
	}
	return layOutPage(gateSubject{b}, p)
}

// gateSubject are the gate courses of a batch.
type gateSubject struct{ batch *gate.Batch }

func (s gateSubject) envs() int              { return s.batch.Envs }
func (s gateSubject) things() string         { return "courses" }
func (s gateSubject) isValid(e int) bool     { return s.batch.Valid[e] != 0 }
func (s gateSubject) reasons(e int) []string { return GateReasonNames(s.batch, e) }
func (s gateSubject) hasProfile() bool       { return false }
func (s gateSubject) hitText() string        { return "at a post" }
func (s gateSubject) cellSize(p *page) int   { return largerCell(p) }

func (s gateSubject) seedOf(e int) (seed, epoch int32) {
	return numberOf(s.batch.Seed, e), numberOf(s.batch.Epoch, e)
}

func (s gateSubject) noteOf(e int, unit string) string {
	length := 0.0
	for _, d := range MeasureGates(s.batch, e).Distances {
		length += d
	}
	return fmt.Sprintf("%d gates, length %s", s.batch.Count[e], lengthText(length, unit))
}

// drawnGate is a gate that can be drawn.
type drawnGate struct {
	number            int // of the gate, in the order of the course
	position          kernel.Vec3
	left, up, forward vector3 // from the middle to the left post and to the upper bar, and the unit direction
	enlarged          bool    // whether the gate is drawn larger than it is, because it is too small to be seen
}

// smallestGate is half the width at which a gate is drawn, as a fraction of its course, if it is smaller.
const smallestGate = 0.022

// gates returns the gates of env e that the camera can show.
func (s gateSubject) gates(e int, c camera) []drawnGate {
	b := s.batch
	plan, heights := s.extent(e)
	course := max(0, plan.size())
	if c.oblique() {
		course = max(course, float64(heights.size()*c.lift))
	}
	least := smallestGate * course
	var out []drawnGate
	for i, position := range b.Gates(b.Position, e) {
		if !visible(c, position) {
			continue
		}
		k := e*b.MaxGates + i
		g := drawnGate{number: i, position: position, forward: direction(vectorOf(b.Forward[k]), vector3{x: 1})}
		across := vectorOf(b.Left[k]).minus(vectorOf(b.Right[k])).times(0.5)
		if !across.finite() {
			across = vector3{}
		}
		half := across.length()
		g.left = direction(across, direction(vector3{z: 1}.cross(g.forward), vector3{y: 1}))
		if half < least {
			half, g.enlarged = least, true
		}
		g.up = direction(g.forward.cross(g.left), vector3{z: 1}).times(half)
		g.left = g.left.times(half)
		out = append(out, g)
	}
	return out
}

// direction returns the unit vector of v, or otherwise, a unit vector, if v has no direction.
func direction(v, otherwise vector3) vector3 {
	if length := v.length(); length > 0 && length-length == 0 {
		return v.times(1 / length)
	}
	return otherwise
}

// extent returns the bounds of the middles of the gates of env e, in plan view and in height.
func (s gateSubject) extent(e int) (plan bounds, heights interval) {
	plan, heights = noBounds(), noInterval()
	b := s.batch
	for _, v := range b.Gates(b.Position, e) {
		if finite(v.X) && finite(v.Y) {
			plan = plan.with(point{float64(v.X), float64(v.Y)})
			if finite(v.Z) {
				heights = heights.with(float64(v.Z))
			}
		}
	}
	return plan, heights
}

func (s gateSubject) survey(e int) survey {
	var out survey
	out.plan, out.heights = s.extent(e)
	out.spread = max(0, out.plan.size())
	out.hills = out.heights.size() > 0
	for _, g := range s.gates(e, fromAbove) {
		for _, corner := range g.frame(fromAbove) {
			out.plan = out.plan.with(point{corner.x, corner.y})
		}
		out.clearance = max(out.clearance, g.up.length())
	}
	return out
}

func (s gateSubject) visit(e int, c camera, take func(point)) {
	for _, g := range s.gates(e, c) {
		for _, corner := range g.frame(c) {
			take(c.flat(corner))
		}
	}
}

// frame returns the corners of the frame of a gate as the camera shows it: the upper and lower left one, then the lower
// and upper right one. The frame keeps its shape, however much the camera enlarges heights.
func (g drawnGate) frame(c camera) []vector3 {
	at := g.place(c)
	return []vector3{at.plus(g.left).plus(g.up), at.plus(g.left).minus(g.up), at.minus(g.left).minus(g.up),
		at.minus(g.left).plus(g.up)}
}

// place returns the middle of a gate as the camera shows it.
func (g drawnGate) place(c camera) vector3 {
	v := vectorOf(g.position)
	if !finite(g.position.Z) {
		v.z = c.ground
	}
	return c.place(v)
}

// gatePaint says how a course is drawn.
type gatePaint struct {
	gate        func(height float64) rgb
	line, start rgb
	number      rgb
}

func (s gateSubject) paintOf(p *page, e int) gatePaint {
	switch heights := p.scopeOf(e).heights; {
	case !s.isValid(e):
		return gatePaint{func(float64) rgb { return invalidEdge }, invalidRoad, invalidStart, invalidText}
	case !p.hills:
		return gatePaint{func(float64) rgb { return gateColor }, orderColor, startColor, textColor}
	default:
		return gatePaint{func(z float64) rgb { return heightColor(heights.at(z)) }, orderColor, markColor, textColor}
	}
}

func (s gateSubject) figure(p *page, e int, t projection) figure {
	gates := s.gates(e, t.camera)
	if p.View == ViewOblique {
		return figure{draw: func(c canvas) { s.drawStanding(c, p, e, gates, t) }}
	}
	return figure{draw: func(c canvas) { s.drawFromAbove(c, p, e, gates, t) }}
}

// closedLegs calls leg with each gate and the next one; the next one of the last gate is the first.
func closedLegs(gates []drawnGate, leg func(a, b drawnGate)) {
	if len(gates) == 2 {
		leg(gates[0], gates[1])
		return
	}
	for i, g := range gates {
		if next := gates[(i+1)%len(gates)]; len(gates) > 1 {
			leg(g, next)
		}
	}
}

// drawFromAbove draws the gates of env e as bars between their posts.
func (s gateSubject) drawFromAbove(c canvas, p *page, e int, gates []drawnGate, t projection) {
	paint := s.paintOf(p, e)
	labels := newLabels(p, t)
	layers := layersDrawing{p, p.layersOf(e), t, c}
	if layers.CourseLayers != nil {
		layers.drawBelow()
		layers.drawLine(0)
	}
	if layers.CourseLayers == nil || layers.Line == nil {
		closedLegs(gates, func(a, b drawnGate) {
			from, to := t.show(a.place(t.camera)), t.show(b.place(t.camera))
			drawLeg(c, from, to, paint.line)
			labels.avoid(from, to, costLine, 0.5)
		})
	}
	for _, g := range gates {
		at := t.show(g.place(t.camera))
		left, right := t.show(g.place(t.camera).plus(g.left)), t.show(g.place(t.camera).minus(g.left))
		if g.number == 0 {
			tip := drawFirstGate(c, g, t, paint.start)
			labels.avoid(at, tip, costGate, 5)
		}
		color := paint.gate(float64(g.position.Z))
		if g.enlarged {
			c.line([]point{left, right}, stroke{width: 1.4, color: color})
			c.fill([][]point{disc(at, 2.2)}, color)
		} else {
			c.line([]point{left, right}, stroke{width: 3, color: color})
			c.fill([][]point{disc(left, 2.6), disc(right, 2.6)}, borderColor)
			c.fill([][]point{disc(left, 1.8), disc(right, 1.8)}, color)
		}
		labels.avoid(left, right, costGate, 3)
	}
	if layers.CourseLayers != nil {
		layers.drawOn()
		layers.avoid(labels)
	}
	for _, g := range gates {
		at := g.place(t.camera)
		labels.add(t.show(at), t.show(at.plus(g.left)), strconv.Itoa(g.number), g.number == 0)
	}
	labels.draw(c, paint.number)
}

// drawLeg draws the way from a gate to the next one, with its direction.
func drawLeg(c canvas, from, to point, color rgb) {
	c.line([]point{from, to}, stroke{width: 1.2, color: color})
	const head, shortest = 7, 18
	if distance(from, to) >= shortest {
		middle := between(from, to, 0.5)
		tip := between(middle, to, min(1, head/distance(from, to)))
		c.fill([][]point{arrowhead(from, point{round(tip.x), round(tip.y)}, head)}, blend(color, textColor, 0.45))
	}
}

// drawFirstGate marks the first gate: a wide bar behind it, and an arrow in the direction in which it is flown. It
// returns the tip of the arrow.
func drawFirstGate(c canvas, g drawnGate, t projection, color rgb) (tip point) {
	at := g.place(t.camera)
	left, right := stretch(t.show(at.plus(g.left)), t.show(at.minus(g.left)), 3)
	c.line([]point{left, right}, stroke{width: 8, color: color})
	middle := t.show(at)
	ahead := t.show(at.plus(g.forward.times(1 / t.scale)))
	if distance(middle, ahead) < 0.1 { // the gate is flown upwards
		return middle
	}
	_, tip = stretch(middle, ahead, 15)
	c.fill([][]point{arrowhead(middle, tip, 11)}, color)
	return tip
}

// disc returns a circle as an outline.
func disc(at point, radius float64) []point {
	// The sines of multiples of 30 degrees.
	const half, high = 0.5, 0.8660254037844386
	var out []point
	for _, d := range [...]point{{1, 0}, {high, half}, {half, high}, {0, 1}, {-half, high}, {-high, half}, {-1, 0},
		{-high, -half}, {-half, -high}, {0, -1}, {half, -high}, {high, -half}} {
		out = append(out, point{round(at.x + float64(radius*d.x)), round(at.y + float64(radius*d.y))})
	}
	return out
}

// drawStanding draws the gates of env e as frames that stand on the ground.
func (s gateSubject) drawStanding(c canvas, p *page, e int, gates []drawnGate, t projection) {
	paint := s.paintOf(p, e)
	p.groundOf(e).draw(c, t)
	labels := newLabels(p, t)
	view, layers := scene{projection: t}, layersDrawing{p, p.layersOf(e), t, c}
	legs := closedLegs
	if layers.CourseLayers != nil {
		layers.addTo(&view, 0)
		if layers.Line != nil {
			legs = func([]drawnGate, func(a, b drawnGate)) {}
		}
	}
	legs(gates, func(a, b drawnGate) {
		c.line([]point{t.show(below(a.place(t.camera))), t.show(below(b.place(t.camera)))},
			stroke{width: 1, color: shadowColor})
	})
	legs(gates, func(a, b drawnGate) {
		from, to := a.place(t.camera), b.place(t.camera)
		view.segment(from, to, stroke{width: 1.2, color: paint.line}, 0)
		labels.avoid(t.show(from), t.show(to), costLine, 0.5)
		if length := distance(t.show(from), t.show(to)); length >= 18 {
			tip := from.toward(to, 0.5+3.5/length)
			view.parts = append(view.parts, part{depth: view.back.dot(tip),
				fill: arrowhead(t.show(from), t.show(tip), 7), color: blend(paint.line, textColor, 0.45)})
		}
	})
	for _, g := range gates {
		view.addGate(g, paint)
		corners := g.frame(t.camera)
		for i := range corners {
			labels.avoid(t.show(corners[i]), t.show(corners[(i+1)%len(corners)]), costGate, 3)
		}
	}
	view.draw(c)
	if layers.CourseLayers != nil {
		layers.drawCars()
		layers.avoid(labels)
	}
	for _, g := range gates {
		top := g.place(t.camera).plus(g.up)
		labels.add(t.show(top), t.show(top.plus(g.up)), strconv.Itoa(g.number), g.number == 0)
	}
	labels.draw(c, paint.number)
}

// addGate adds the frame of a gate, and poles from its lower corners to the ground.
func (s *scene) addGate(g drawnGate, paint gatePaint) {
	corners := g.frame(s.camera)
	color := paint.gate(float64(g.position.Z))
	pen := stroke{width: 3, color: color}
	if g.enlarged {
		pen.width = 1.4
	}
	if g.number == 0 {
		for i := range corners {
			s.segment(corners[i], corners[(i+1)%len(corners)], stroke{width: pen.width + 4, color: paint.start}, 0)
		}
	}
	for _, corner := range corners[1:3] {
		foot := below(corner)
		s.segment(foot, corner, stroke{width: 1, color: poleColor}, 0)
		s.parts = append(s.parts, part{depth: s.back.dot(foot), fill: disc(s.show(foot), 1.6), color: poleColor})
	}
	front := 0.1 / s.scale
	for i, corner := range corners {
		s.segment(corner, corners[(i+1)%len(corners)], pen, front)
		s.parts = append(s.parts, part{depth: s.back.dot(corner) + front, fill: disc(s.show(corner), pen.width/2),
			color: color})
	}
}
