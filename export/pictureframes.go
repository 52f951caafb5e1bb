package export

// frameColor is the colour of the frames of gates that nothing touches.
var frameColor = rgb{0x8d, 0x95, 0xa1}

// drawable reports whether all numbers of the frame are finite.
func (f *GateFrame) drawable() bool {
	return vectorOf(f.Center).finite() && vectorOf(f.Forward).finite() && vectorOf(f.Left).finite() &&
		finite(f.Half) && finite(f.Thickness) && finite(f.Depth)
}

// boxes returns the corners of the two posts and the two bars as the camera shows them: corner k lies on the far side
// along Forward, Left and up for the bits 0, 1 and 2 of k. It returns none if the frame cannot be drawn. The frame
// keeps its shape, however much the camera enlarges heights.
func (f *GateFrame) boxes(c camera) [][8]vector3 {
	if !f.drawable() {
		return nil
	}
	at, ahead, left := c.stand(f.Center), vectorOf(f.Forward), vectorOf(f.Left)
	up := ahead.cross(left)
	thick, deep := float64(f.Thickness)/2, float64(f.Depth)/2
	out, long := float64(f.Half)+thick, float64(f.Half)+float64(f.Thickness)
	box := func(aside, above, halfLeft, halfUp float64) (corners [8]vector3) {
		middle := at.plus(left.times(aside)).plus(up.times(above))
		for k := range corners {
			sign := func(bit int) float64 { return float64(k>>bit&1*2 - 1) }
			corners[k] = middle.plus(ahead.times(sign(0) * deep)).plus(left.times(sign(1) * halfLeft)).
				plus(up.times(sign(2) * halfUp))
		}
		return corners
	}
	return [][8]vector3{box(out, 0, thick, long), box(-out, 0, thick, long), box(0, out, long, thick),
		box(0, -out, long, thick)}
}

// boxSides are the corners of the sides of a box, seen from outside against the clock.
var boxSides = [6][4]int{{0, 4, 6, 2}, {1, 3, 7, 5}, {0, 1, 5, 4}, {2, 6, 7, 3}, {0, 2, 3, 1}, {4, 5, 7, 6}}

// addBox adds the sides of a box that are turned to the viewer.
func (s *scene) addBox(corners [8]vector3, color rgb) {
	for k, face := range boxSides {
		a, b, c := corners[face[0]], corners[face[1]], corners[face[2]]
		if !(b.minus(a).cross(c.minus(b)).dot(s.back) > 0) {
			continue
		}
		side := color
		if k < 4 { // of the four that stand
			side = blend(color, borderColor, 0.3)
		}
		var outline []vector3
		for _, corner := range face {
			outline = append(outline, corners[corner])
		}
		s.polygon(outline, side, blend(color, borderColor, 0.6), 0)
	}
}

// colorOf returns the colour of a frame.
func (f *GateFrame) colorOf() rgb {
	if f.Hit {
		return hitCar
	}
	return frameColor
}

// drawFrames draws the frames from above: of each, the bar on top hides the rest.
func (d layersDrawing) drawFrames() {
	for i := range d.Frames {
		view := scene{projection: d.projection}
		for _, box := range d.Frames[i].boxes(d.camera) {
			view.addBox(box, d.Frames[i].colorOf())
		}
		view.draw(d.canvas)
	}
}

// place returns where a ball is as the camera shows it.
func (b *AgentBall) place(c camera) vector3 {
	if near := vectorOf(b.Near); near.finite() {
		return c.stand(b.Near).plus(vectorOf(b.Position).minus(near))
	}
	return c.stand(b.Position)
}

// color returns the colour of a ball.
func (b *AgentBall) color() rgb {
	if b.Hit {
		return hitCar
	}
	return clearCar
}

// smallestBall is the least radius of a drawn ball, in pixels.
const smallestBall = 2.5

// radius returns the radius of a ball in pixels.
func (d layersDrawing) radius(b *AgentBall) float64 {
	return max(d.pixelsOf(float64(b.Radius)), smallestBall)
}

func (d layersDrawing) drawBalls() {
	for i := range d.Balls {
		if b := &d.Balls[i]; b.drawable() {
			drawBall(d.canvas, d.show(b.place(d.camera)), d.radius(b), b.color())
		}
	}
}

// drawable reports whether the ball can be drawn.
func (b *AgentBall) drawable() bool { return vectorOf(b.Position).finite() && finite(b.Radius) }

// drawBall draws a ball.
func drawBall(c canvas, at point, radius float64, color rgb) {
	for _, p := range ballParts(at, radius, color) {
		c.fill([][]point{p.fill}, p.color)
	}
}

// ballParts returns a ball with its edge and a bright spot.
func ballParts(at point, radius float64, color rgb) []part {
	spot := point{round(at.x - float64(0.3*radius)), round(at.y - float64(0.35*radius))}
	return []part{
		{fill: circleAt(at, radius), color: carEdge},
		{fill: circleAt(at, max(radius-1, 0.5*radius)), color: color},
		{fill: circleAt(spot, 0.25*radius), color: blend(color, cardColor, 0.7)},
	}
}

// addBalls adds the balls to a scene, each with a line down to the ground.
func (d layersDrawing) addBalls(s *scene) {
	for i := range d.Balls {
		b := &d.Balls[i]
		if !b.drawable() {
			continue
		}
		at := b.place(d.camera)
		s.segment(below(at), at, stroke{width: 1, color: poleColor}, 0)
		for _, p := range ballParts(s.show(at), d.radius(b), b.color()) {
			p.depth = s.back.dot(at)
			s.parts = append(s.parts, p)
		}
	}
}
