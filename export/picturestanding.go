package export

// drawStandingCourse draws the road of env e and the layers of its course obliquely. Cars and their contacts lie above
// everything, so that no bridge hides an answer.
func (s trackSubject) drawStandingCourse(c canvas, p *page, e int, t projection) {
	layers := layersDrawing{p, p.layersOf(e), t, c}
	p.groundOf(e).draw(c, t)
	layers.drawBelow()
	paint := roadPaint{func(float64) rgb { return paleRoad }, borderColor, startColor, borderColor}
	if !s.isValid(e) {
		paint = s.paintOf(p, e)
	}
	road, view := s.slices(e, t), scene{projection: t}
	if layers.Ground != nil {
		view.addGround(layers.Ground, p.ranges.heights, layers.Field != nil)
	}
	if len(road) > 1 {
		if layers.hasArea() {
			view.addBorders(road, paint.edge)
		} else {
			s.drawShadow(c, t, road)
			view.addRoad(road, paint)
			view.addPillars(road)
		}
		view.addStart(road, paint)
	}
	layers.addTo(&view, s.roadWidth(e, t))
	view.draw(c)
	layers.drawCars()
	layers.drawNumbers()
}

// addBorders adds the borders of a road as lines in space.
func (s *scene) addBorders(road []roadSlice, color rgb) {
	pen, front := stroke{width: 1.2, color: color}, 1/s.scale
	for i, from := range road {
		to := road[(i+1)%len(road)]
		s.segment(from.outer, to.outer, pen, front)
		s.segment(from.inner, to.inner, pen, front)
	}
}

// addTo adds what stands on the road or between the gates to a scene. width is that of the road in pixels, or 0 if
// there is none.
func (d layersDrawing) addTo(s *scene, width float64) {
	const above = 10.0 // pixels in front of the road, more than a piece of a line is long
	front := above / s.scale
	d.addLine(s, width, front)
	for k, b := range d.Checkpoints {
		if !pointOf(b.Left).finite() || !pointOf(b.Right).finite() {
			continue
		}
		middle := b.Left.Add(b.Right).Scale(0.5)
		left, right := s.acrossFrom(vectorOf(middle), vectorOf(b.Left)), s.acrossFrom(vectorOf(middle), vectorOf(b.Right))
		pen := stroke{width: barWidth, color: checkpointColor}
		if k == 0 {
			s.segment(left, right, stroke{width: startBarWidth + 1.6, color: carEdge}, front)
			pen = stroke{width: startBarWidth, color: startColor}
		}
		s.segment(left, right, pen, 2*front)
	}
	d.addProps(s, front)
	d.addPosts(s)
	for i := range d.Frames {
		for _, box := range d.Frames[i].boxes(d.camera) {
			s.addBox(box, d.Frames[i].colorOf())
		}
	}
	d.addBalls(s)
}

// acrossFrom returns a point across the way from a middle as the camera shows it, on the ground if a height is not
// finite.
func (s *scene) acrossFrom(middle, v vector3) vector3 {
	if !middle.finite() || !v.finite() {
		return vector3{v.x, v.y, 0}
	}
	return s.beside(middle, v)
}

// addLine adds the closed line in the colours of its speeds.
func (d layersDrawing) addLine(s *scene, width, front float64) {
	pen := stroke{width: clamp(0.4*width, 2.4, 7), color: lineColor}
	if d.Speed == nil {
		pen.width = 2
	}
	for i, from := range d.Line {
		next := (i + 1) % len(d.Line)
		to := d.Line[next]
		if !pointOf(from).finite() || !pointOf(to).finite() {
			continue
		}
		a, b := s.stand(from), s.stand(to)
		line := pen
		if d.Speed != nil {
			edge := stroke{width: pen.width + 1.6, color: carEdge}
			s.segment(a, b, edge, front)
			line.color = heightColor(d.ranges.speeds.at((float64(d.Speed[i]) + float64(d.Speed[next])) / 2))
		}
		s.segment(a, b, line, 2*front)
	}
}

// addProps adds the props.
func (d layersDrawing) addProps(s *scene, front float64) {
	for i := range d.Props {
		prop := &d.Props[i]
		ends := prop.ends()
		if !ends[0].finite() || !ends[1].finite() {
			continue
		}
		a, b := s.on(ends[0], prop.Position.Z), s.on(ends[1], prop.Position.Z)
		if ends[0] == ends[1] {
			s.parts = append(s.parts, part{depth: s.back.dot(a) + front, fill: disc(s.show(a), propRadius),
				color: propColor})
			continue
		}
		s.segment(a, b, stroke{width: propWidth, color: propColor}, front)
	}
}

// addPosts adds the posts as columns from the ground to the height of their middle.
func (d layersDrawing) addPosts(s *scene) {
	for _, post := range d.Posts {
		if !pointOf(post.Center).finite() || !finite(post.Radius) {
			continue
		}
		top := s.stand(post.Center)
		foot := below(top)
		pen := stroke{width: max(2*d.pixelsOf(float64(post.Radius)), 3), color: postColor}
		s.segment(foot, top, pen, 0)
		// The top of a column is a circle, seen obliquely.
		for _, end := range []vector3{foot, top} {
			var ring []point
			for _, p := range circleAt(point{}, pen.width/2) {
				ring = append(ring, s.show(end.plus(vector3{p.x / s.scale, p.y / s.scale, 0})))
			}
			color := postColor
			if end == top {
				color = blend(postColor, cardColor, 0.3)
			}
			s.parts = append(s.parts, part{depth: s.back.dot(end), fill: ring, color: color})
		}
	}
}

// drawSides draws the sides of a car obliquely, from its corners in plan, and returns the corners of its roof in
// pixels. The rules of collision know no heights of cars, so a car is half as high as it is wide.
func (d layersDrawing) drawSides(car *CarBox, plan []point, color rgb) (roof []point) {
	high := vector3{z: distance(plan[0], plan[3]) / 2}
	var low, up []vector3
	for _, corner := range plan {
		at := d.on(corner, car.Position.Z)
		low, up = append(low, at), append(up, at.plus(high))
		roof = append(roof, d.show(at.plus(high)))
	}
	for i := range plan {
		k := (i + 1) % len(plan)
		if outward := low[k].minus(low[i]).cross(high); outward.dot(d.back) > 0 {
			side := []point{d.show(low[i]), d.show(low[k]), d.show(up[k]), d.show(up[i])}
			d.canvas.fill([][]point{side}, blend(color, carEdge, 0.35))
			d.canvas.line(side, stroke{width: 1, color: carEdge, closed: true})
		}
	}
	return roof
}
