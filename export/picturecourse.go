package export

import (
	"math"
	"strconv"

	"github.com/trackgen-go/trackgen/kernel"
)

// Colours of the layers of a course.
var (
	paleRoad        = rgb{0xe2, 0xe5, 0xe9}
	fieldEdge       = rgb{0xff, 0xff, 0xff}
	checkpointColor = rgb{0x1f, 0x6f, 0xb2}
	propColor       = rgb{0x6a, 0x3d, 0x9a}
	postColor       = rgb{0x55, 0x5b, 0x66}
	lineColor       = rgb{0x1f, 0x6f, 0xb2}
	clearCar        = rgb{0x5f, 0xd3, 0x8d}
	hitCar          = rgb{0xe8, 0x3e, 0x5b}
	carEdge         = rgb{0x16, 0x1a, 0x20}
	contactColor    = rgb{0x10, 0x14, 0x1a}
	windowColor     = rgb{0xff, 0xff, 0xff}
	underlayColor   = rgb{0xff, 0xff, 0xff}
	wayColor        = rgb{0x7b, 0x2c, 0xbf}
	touchColor      = rgb{0xc2, 0x18, 0x8f}
)

// Dimensions of the layers of a course, in pixels.
const (
	barWidth      = 2.2
	startBarWidth = 4.5
	numberApart   = 20 // between numbered checkpoints, at least
	propRadius    = 2.4
	propWidth     = 3.2
	propGap       = 1.6 // between successive segments
	smallestCar   = 9   // a shorter car is drawn this long, above its contact
	shortestBar   = 12  // a shorter checkpoint is drawn this long
	normalLength  = 15
	contactRadius = 2.2
)

// layersDrawing draws the layers of one env.
type layersDrawing struct {
	*page
	*CourseLayers
	projection
	canvas canvas
}

// at returns a place in pixels.
func (d layersDrawing) at(v kernel.Vec3) point { return d.show(d.stand(v)) }

// beside returns a point of the plan in pixels, at the height of a car.
func (d layersDrawing) beside(car *CarBox, p point) point { return d.show(d.on(p, car.Position.Z)) }

// drawBelow draws what lies below the road or the gates.
func (d layersDrawing) drawBelow() {
	if d.Field != nil {
		d.Field.draw(d.canvas, d.projection, d.ranges.distances)
	}
	if d.Ground != nil && !d.oblique() {
		d.Ground.draw(d.canvas, d.projection, d.ranges.heights, d.Field != nil)
	}
}

// hasArea reports whether colours of an area show the way, so that its road has borders alone.
func (d layersDrawing) hasArea() bool {
	return d.Field != nil || d.Ground != nil && d.Ground.drawable()
}

// drawOn draws what stands on the road.
func (d layersDrawing) drawOn() {
	d.drawCheckpoints()
	d.drawProps()
	d.drawPosts()
	d.drawFrames()
	d.drawCars()
	d.drawBalls()
}

// drawLine draws the closed line in the colours of its speeds. width is the width of the road in pixels, or 0 if there
// is none.
func (d layersDrawing) drawLine(width float64) {
	pen := stroke{width: clamp(0.4*width, 3.2, 9), color: lineColor}
	if d.Speed == nil {
		pen.width = 2
	}
	speeds := d.ranges.speeds
	for _, edge := range []bool{true, false} {
		if edge && d.Speed == nil {
			continue
		}
		for i, from := range d.Line {
			next := (i + 1) % len(d.Line)
			to := d.Line[next]
			if !pointOf(from).finite() || !pointOf(to).finite() {
				continue
			}
			line := pen
			switch {
			case edge:
				line.width, line.color = pen.width+1.6, carEdge
			case d.Speed != nil:
				line.color = heightColor(speeds.at((float64(d.Speed[i]) + float64(d.Speed[next])) / 2))
			}
			a, b := stretch(d.at(from), d.at(to), 0.5)
			d.canvas.line([]point{a, b}, line)
		}
	}
}

// bar returns the ends of a checkpoint in pixels, at least as long as can be seen, and whether it can be drawn.
func (d layersDrawing) bar(k int) (left, right point, ok bool) {
	b := d.Checkpoints[k]
	l, r := pointOf(b.Left), pointOf(b.Right)
	left, right = d.at(b.Left), d.at(b.Right)
	if length := distance(left, right); length < shortestBar {
		left, right = stretch(left, right, (shortestBar-length)/2)
	}
	return left, right, l.finite() && r.finite()
}

func (d layersDrawing) drawCheckpoints() {
	for k := len(d.Checkpoints) - 1; k >= 0; k-- { // the start lies on top
		left, right, ok := d.bar(k)
		if !ok {
			continue
		}
		pen := stroke{width: barWidth, color: checkpointColor}
		if k == 0 {
			a, b := stretch(left, right, 2)
			d.canvas.line([]point{a, b}, stroke{width: startBarWidth + 1.6, color: carEdge})
			pen = stroke{width: startBarWidth, color: startColor}
		}
		if k > 0 && d.hasArea() {
			d.canvas.line([]point{left, right}, stroke{width: barWidth + 1.6, color: underlayColor})
		}
		d.canvas.line([]point{left, right}, pen)
	}
}

func (d layersDrawing) drawProps() {
	for i := range d.Props {
		ends := d.Props[i].ends()
		if !ends[0].finite() || !ends[1].finite() {
			continue
		}
		a, b := d.propEnds(i)
		if a == b {
			d.canvas.fill([][]point{disc(a, propRadius)}, propColor)
			continue
		}
		if distance(a, b) > 3*propGap {
			a, b = stretch(a, b, -propGap/2)
		}
		d.canvas.line([]point{a, b}, stroke{width: propWidth, color: propColor})
	}
}

// propEnds returns the ends of a prop in pixels.
func (d layersDrawing) propEnds(i int) (a, b point) {
	prop := &d.Props[i]
	ends := prop.ends()
	return d.show(d.on(ends[0], prop.Position.Z)), d.show(d.on(ends[1], prop.Position.Z))
}

func (d layersDrawing) drawPosts() {
	for _, post := range d.Posts {
		if at := pointOf(post.Center); at.finite() && finite(post.Radius) {
			radius := max(d.pixelsOf(float64(post.Radius)), 1.5)
			d.canvas.fill([][]point{circleAt(d.at(post.Center), radius)}, postColor)
		}
	}
}

// circleAt returns a circle as an outline, of as many sides as its size needs.
func circleAt(at point, radius float64) []point {
	out := disc(at, radius)
	for sides := 12; sides < 96 && radius > float64(sides)/3; sides *= 2 {
		// A corner in the middle of each side, moved out to the circle.
		var finer []point
		for i, a := range out {
			b := out[(i+1)%len(out)]
			middle := between(a, b, 0.5)
			if length := distance(at, middle); length > 0 {
				middle = between(at, middle, radius/length)
			}
			finer = append(finer, a, point{round(middle.x), round(middle.y)})
		}
		out = finer
	}
	return out
}

// drawCars draws the cars. Their contacts lie above all cars, but for the lines to the cars. Contacts of cars that are
// drawn larger than they are would hide them, so they lie below.
func (d layersDrawing) drawCars() {
	contacts := func(ofSmall bool) func(*CarBox) {
		return func(car *CarBox) {
			if small := d.longer(car) > 1; small == ofSmall {
				d.drawContact(car)
			}
		}
	}
	for _, draw := range []func(*CarBox){d.drawReach, contacts(true), d.drawWay, d.drawCar, d.drawTouch, contacts(false)} {
		for i := range d.Cars {
			if car := &d.Cars[i]; car.drawable() {
				draw(car)
			}
		}
	}
}

// longer returns by what factor a car is drawn larger than it is, because it is too small to be seen.
func (d layersDrawing) longer(car *CarBox) float64 {
	long := d.pixelsOf(2 * max(math.Abs(float64(car.HalfExtents.X)), math.Abs(float64(car.HalfExtents.Y))))
	if long > 0 && long < smallestCar {
		return smallestCar / long
	}
	return 1
}

// drawReach draws a line from a car to its nearest point.
func (d layersDrawing) drawReach(car *CarBox) {
	if nearest := pointOf2(car.Nearest); nearest.finite() {
		line := []point{d.at(car.Position), d.beside(car, nearest)}
		d.canvas.line(line, stroke{width: 2.6, color: underlayColor})
		d.canvas.line(line, stroke{width: 1, color: contactColor})
	}
}

// drawWay draws the way of a car in a step, with its outline at the begin and, twice as strong, at its first contact.
func (d layersDrawing) drawWay(car *CarBox) {
	start, ok := car.at(0)
	if !ok {
		return
	}
	line := []point{d.at(start.Position), d.at(car.Position)}
	d.canvas.line(line, stroke{width: 2.6, color: underlayColor})
	d.canvas.line(line, stroke{width: 1.2, color: wayColor})
	d.drawOutline(&start, 1)
	if contact, ok := car.at(car.Way.FirstContact); ok {
		d.drawOutline(&contact, 2.2)
	}
}

// drawOutline draws the outline of a box on its way.
func (d layersDrawing) drawOutline(car *CarBox, width float64) {
	var box []point
	for _, corner := range car.corners() {
		box = append(box, d.beside(car, corner))
	}
	d.canvas.line(box, stroke{width: width + 1.4, color: underlayColor, closed: true})
	d.canvas.line(box, stroke{width: width, color: wayColor, closed: true})
}

// drawTouch draws a line from a car to another one that it touches.
func (d layersDrawing) drawTouch(car *CarBox) {
	if car.Touches == nil || !pointOf(*car.Touches).finite() {
		return
	}
	line := []point{d.at(car.Position), d.at(*car.Touches)}
	d.canvas.line(line, stroke{width: 5, color: underlayColor})
	d.canvas.line(line, stroke{width: 3, color: touchColor})
	d.canvas.fill([][]point{disc(line[0], 3.2)}, touchColor)
}

// drawContact draws the nearest point of a car, and the normal there.
func (d layersDrawing) drawContact(car *CarBox) {
	nearest, normal := pointOf2(car.Nearest), pointOf2(car.Normal)
	if !nearest.finite() {
		return
	}
	at := d.beside(car, nearest)
	if length := distance(point{}, normal); normal.finite() && length > 0.5 {
		way := d.flat(vector3{normal.x, normal.y, 0})
		tip := point{round(at.x + float64(way.x*normalLength)/length), round(at.y - float64(way.y*normalLength)/length)}
		shaft := between(at, tip, 0.7)
		d.canvas.line([]point{at, shaft}, stroke{width: 4, color: underlayColor})
		_, edge := stretch(at, tip, 2)
		d.canvas.fill([][]point{arrowhead(at, edge, 10)}, underlayColor)
		d.canvas.line([]point{at, shaft}, stroke{width: 1.8, color: markColor})
		d.canvas.fill([][]point{arrowhead(at, tip, 7)}, markColor)
	}
	d.canvas.fill([][]point{disc(at, contactRadius+1)}, underlayColor)
	d.canvas.fill([][]point{disc(at, contactRadius)}, contactColor)
}

// drawCar draws the box of a car, with its front.
func (d layersDrawing) drawCar(car *CarBox) {
	half, longer := pointOf2(car.HalfExtents), d.longer(car)
	half = point{float64(half.x * longer), float64(half.y * longer)}
	var box []point
	for _, corner := range car.cornersOf(half) {
		box = append(box, d.beside(car, corner))
	}
	color := clearCar
	if car.Hit {
		color = hitCar
	}
	d.canvas.fill([][]point{box}, color)
	d.canvas.line(box, stroke{width: 1.2, color: carEdge, closed: true})
	// The windscreen is a triangle in the front third.
	front := between(box[0], box[3], 0.5)
	back := between(between(box[0], box[1], 0.4), between(box[3], box[2], 0.4), 0.5)
	left, right := between(box[0], box[1], 0.4), between(box[3], box[2], 0.4)
	tip := between(back, front, 0.85)
	d.canvas.fill(rounded([][]point{{between(back, left, 0.75), tip, between(back, right, 0.75)}}), carEdge)
}

// rounded rounds the points of contours.
func rounded(contours [][]point) [][]point {
	for _, contour := range contours {
		for i, p := range contour {
			contour[i] = point{round(p.x), round(p.y)}
		}
	}
	return contours
}

// avoid keeps labels away from cars and from the line.
func (d layersDrawing) avoid(labels *labels) {
	for i, from := range d.Line {
		if to := d.Line[(i+1)%len(d.Line)]; pointOf(from).finite() && pointOf(to).finite() {
			labels.avoid(d.at(from), d.at(to), 4*costLine, 3)
		}
	}
	for i := range d.Cars {
		if box := d.Cars[i].corners(); d.Cars[i].drawable() {
			labels.avoid(d.beside(&d.Cars[i], box[0]), d.beside(&d.Cars[i], box[2]), costGate, 5)
		}
	}
}

// drawNumbers writes the numbers of checkpoints beside their bars, and the heights of the ground beside the cars. If
// checkpoints are close together, it leaves out numbers at equal distances.
func (d layersDrawing) drawNumbers() {
	labels := newLabels(d.page, d.projection)
	for k := range d.Checkpoints {
		if left, right, ok := d.bar(k); ok {
			labels.avoid(left, right, costGate, 3)
		}
	}
	d.avoid(labels)
	for i := range d.Props {
		if ends := d.Props[i].ends(); ends[0].finite() && ends[1].finite() {
			a, b := d.propEnds(i)
			labels.avoid(a, b, 4*costLine, propRadius)
		}
	}
	each := d.numberedEach()
	for k := 0; k < len(d.Checkpoints); k += each {
		if left, right, ok := d.bar(k); ok {
			beyond := point{2*right.x - left.x, 2*right.y - left.y}
			labels.add(right, beyond, strconv.Itoa(k), k == 0)
		}
	}
	for i := range d.Cars {
		if car := &d.Cars[i]; d.writesGround(car) && car.drawable() {
			side := car.Heading
			beyond := d.beside(car, point{float64(car.Position.X - side.Y), float64(car.Position.Y + side.X)})
			labels.add(d.at(car.Position), beyond, d.groundNumber(float64(*car.Ground)), false)
		}
	}
	labels.draw(d.canvas, textColor)
}

// writesGround reports whether the height of the ground stands beside a car. On level ground it does not.
func (p *page) writesGround(car *CarBox) bool {
	return car.Ground != nil && finite(*car.Ground) && p.ranges.heights.size() > 0
}

// numberedEach returns how many checkpoints there are from one number to the next.
func (d layersDrawing) numberedEach() int {
	shortest := math.Inf(1)
	for k := range d.Checkpoints {
		left, right, ok := d.bar(k)
		nextLeft, nextRight, also := d.bar((k + 1) % len(d.Checkpoints))
		if ok && also && len(d.Checkpoints) > 1 {
			shortest = min(shortest, distance(between(left, right, 0.5), between(nextLeft, nextRight, 0.5)))
		}
	}
	for _, each := range []int{1, 2, 5, 10, 20, 50, 100, 200, 500} {
		if float64(float64(each)*shortest) >= numberApart || each >= len(d.Checkpoints) {
			return each
		}
	}
	return len(d.Checkpoints)
}
