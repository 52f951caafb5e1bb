package circuit

import (
	"fmt"
	"math"
	"slices"
)

// Start sets where a circuit starts. The zero value is its first point.
type Start struct {
	// Along is the arc length from the first point, in the direction of travel, in metres.
	Along float64
	// Near starts the circuit at its point nearest to a place. If Near is set, Along must be 0.
	Near *[2]float64
}

// direct applies Options.Reverse and Options.Start to a circuit.
func (o *Options) direct(file string, c *File) error {
	if o.Reverse {
		c.reverse()
	}
	if o.Start == (Start{}) {
		return nil
	}
	return c.start(file, o.Start)
}

// reverse reverses the direction of travel. The first point stays the first, and the widths change sides.
func (c *File) reverse() {
	slices.Reverse(c.X[1:])
	slices.Reverse(c.Y[1:])
	if c.Heights() {
		slices.Reverse(c.Z[1:])
	}
	if c.lines != nil {
		slices.Reverse(c.lines[1:])
	}
	if c.Widths() {
		slices.Reverse(c.Right[1:])
		slices.Reverse(c.Left[1:])
		c.Right, c.Left = c.Left, c.Right
	}
}

// start makes a place of the circuit its first point. Between two points of the file, it inserts a point on the smooth
// line through the points, with interpolated heights and widths.
func (c *File) start(file string, start Start) error {
	points := c.points()
	line := newPolyline(points)
	at := start.Along
	var i int
	var f float64
	switch {
	case start.Near != nil:
		near := vector{start.Near[0], start.Near[1]}
		if start.Along != 0 || !(math.Abs(near.x) <= MaxCoordinate && math.Abs(near.y) <= MaxCoordinate) {
			return &Error{File: file, Name: "the start", Value: fmt.Sprintf("(%s, %s), and %s along", number(near.x),
				number(near.y), number(start.Along)), Want: "a place in metres, or a distance along the line, and not both"}
		}
		_, at = line.nearest(near, 0, line.length())
		i, f = nearestOnArcs(points, near, line.segment(at))
	case !(at >= 0 && at < line.length()):
		return &Error{File: file, Name: "the start", Value: number(at) + " m along the line",
			Want: fmt.Sprintf("a number of metres >= 0 and < %s, its length", number(line.length()))}
	default:
		i = line.segment(at)
		if step := line.at[i+1] - line.at[i]; step > 0 {
			f = (at - line.at[i]) / step
		}
	}
	const near = 0.05 // fraction of a segment: a closer point would make a kink
	switch {
	case f > 1-near:
		i = (i + 1) % len(points)
	case f >= near:
		c.insert(i, f)
		i++
	}
	for _, values := range [][]float64{c.X, c.Y, c.Z, c.Right, c.Left} {
		rotate(values, i)
	}
	rotate(c.lines, i)
	return nil
}

// nearestOnArcs returns the place on the smooth line through points that is nearest to a place: the index of the point
// before it, and the fraction of the way to the next. chord is the index of the nearest chord.
func nearestOnArcs(points []vector, place vector, chord int) (i int, f float64) {
	const samples = 512 // per arc
	n := len(points)
	directions := tangents(points)
	nearest := math.Inf(1)
	for k := chord - 1; k <= chord+1; k++ {
		from, to := (k+n)%n, (k+1+n)%n
		a := newArc(points[from], points[to], directions[from], directions[to])
		for s := range samples {
			g := float64(s) / samples
			if distance := place.to(a.point(g)); distance < nearest {
				nearest, i, f = distance, from, g
			}
		}
	}
	return i, f
}

// points returns the points of the circuit.
func (c *File) points() []vector {
	points := make([]vector, len(c.X))
	for i := range c.X {
		points[i] = vector{c.X[i], c.Y[i]}
	}
	return points
}

// insert inserts a point after point i, on the smooth line through the points, at fraction f of the way to the next.
func (c *File) insert(i int, f float64) {
	n := len(c.X)
	next := (i + 1) % n
	points := c.points()
	directions := tangents(points)
	between := newArc(points[i], points[next], directions[i], directions[next])
	p := between.point(f)
	if c.Heights() {
		c.Z = slices.Insert(c.Z, i+1, c.heightAt(i, f))
	}
	c.X, c.Y = slices.Insert(c.X, i+1, p.x), slices.Insert(c.Y, i+1, p.y)
	if c.Widths() {
		c.Right = slices.Insert(c.Right, i+1, c.Right[i]+f*(c.Right[next]-c.Right[i]))
		c.Left = slices.Insert(c.Left, i+1, c.Left[i]+f*(c.Left[next]-c.Left[i]))
	}
	if c.lines != nil {
		c.lines = slices.Insert(c.lines, i+1, c.lines[i])
	}
}

// rotate moves value i to the front.
func rotate[T any](values []T, i int) {
	if len(values) > 0 {
		copy(values, slices.Concat(values[i:], values[:i]))
	}
}
