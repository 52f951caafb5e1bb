package circuit

import (
	"fmt"
	"math"
	"slices"
	"strings"
)

// In Formula Student Driverless, blue cones are on the left of the road, yellow ones on the right, and orange ones at
// the start.

// cones is the content of a list of cones.
type cones struct {
	left, right, orange []vector
	start               *conePose
	other               []otherCone // in the order of the file
}

// conePose is the pose of the car at the start.
type conePose struct {
	at      vector
	heading float64 // radians, counter-clockwise from the x axis
}

// otherCone counts the entries with a tag that marks no border.
type otherCone struct {
	tag   string
	count int
}

// maxCones is the maximum number of cones of a file. Ordering them takes quadratic time.
const maxCones = 2000

// coneSide is the meaning of a cone.
type coneSide int

const (
	coneUnknown coneSide = iota
	coneLeft
	coneRight
	coneOrange
	coneStart
)

// coneTags maps the tags of cones, without the word cone and punctuation, to their meaning.
var coneTags = map[string]coneSide{
	"blue": coneLeft, "left": coneLeft, "yellow": coneRight, "right": coneRight,
	"orange": coneOrange, "bigorange": coneOrange, "orangebig": coneOrange, "smallorange": coneOrange,
	"orangesmall": coneOrange, "largeorange": coneOrange, "orangelarge": coneOrange,
	"carstart": coneStart,
}

// sideOf returns the meaning of a tag such as big_orange, cones_left or BlueCone.
func sideOf(tag string) coneSide {
	tag = strings.ToLower(strings.NewReplacer("_", "", "-", "", " ", "").Replace(tag))
	for _, word := range []string{"cones", "cone"} {
		tag = strings.TrimSuffix(strings.TrimPrefix(tag, word), word)
	}
	return coneTags[tag]
}

// add adds a cone. It returns false if there are too many.
func (c *cones) add(tag string, p vector) bool {
	switch sideOf(tag) {
	case coneLeft:
		c.left = append(c.left, p)
	case coneRight:
		c.right = append(c.right, p)
	case coneOrange:
		c.orange = append(c.orange, p)
	default:
		i := slices.IndexFunc(c.other, func(o otherCone) bool { return o.tag == tag })
		if i < 0 {
			c.other, i = append(c.other, otherCone{tag: tag}), len(c.other)
		}
		c.other[i].count++
		return len(c.other) <= maxCones
	}
	return len(c.left)+len(c.right)+len(c.orange) <= maxCones
}

func tooManyCones(file string, line int) error {
	return &Error{File: file, Line: line, Name: "the number of cones", Value: fmt.Sprintf("more than %d", maxCones),
		Want: "at most that"}
}

// circuits returns the circuit between the cones as the only one of the file.
func (c *cones) circuits(file string, options Options) ([]*File, error) {
	out, err := c.circuit(file, options)
	if err != nil {
		return nil, err
	}
	return []*File{out}, nil
}

// circuit returns the circuit between the cones.
func (c *cones) circuit(file string, options Options) (*File, error) {
	const least = 3
	c.left, c.right = withoutRepeats(c.left), withoutRepeats(c.right)
	if len(c.left) < least || len(c.right) < least {
		value := fmt.Sprintf("%d on the left (blue) and %d on the right (yellow)", len(c.left), len(c.right))
		if len(c.other) > 0 {
			var tags []string
			for _, o := range c.other {
				tags = append(tags, o.tag)
			}
			value += "; not understood: " + list(tags)
		}
		return nil, &Error{File: file, Name: "the number of cones", Value: value,
			Want: fmt.Sprintf("at least %d on either side", least)}
	}
	left, right, ordered, err := c.order(file)
	if err != nil {
		return nil, err
	}
	left, right, placed := fillGaps(left, right, c.orange)
	for k, border := range [][]vector{left, right} {
		name := [2]string{"left cones", "right cones"}[k]
		if err := checkBorder(file, name, newFile("", border, nil), options); err != nil {
			return nil, err
		}
	}
	road, err := newCorridor(file, "left cones", "right cones", left, right)
	if err != nil {
		return nil, err
	}
	if !road.left {
		road.reverse()
	}
	out, err := road.circuit(file)
	if err != nil {
		return nil, err
	}
	out.Notes = append(c.notes(ordered, placed, len(left)+len(right)-placed), out.Notes...)
	return out, c.setStart(file, out)
}

// notes describes how the cones were used.
func (c *cones) notes(ordered bool, placed, used int) []string {
	notes := []string{fmt.Sprintf("%d blue cones are on the left and %d yellow ones on the right of the road", len(c.left),
		len(c.right))}
	if ordered {
		notes = append(notes, "the cones are in the order in which they stand along the road, not in that of the file")
	}
	if apart := len(c.left) + len(c.right) - used; apart > 0 {
		notes = append(notes, fmt.Sprintf("%d cones that stand apart from the road are left out", apart))
	}
	if placed > 0 {
		notes = append(notes, fmt.Sprintf("%d orange cones fill gaps of the borders", placed))
	}
	if n := len(c.orange) - placed; n > 0 {
		notes = append(notes, fmt.Sprintf("%d orange cones are no part of the borders", n))
	}
	for _, o := range c.other {
		notes = append(notes, fmt.Sprintf("%d entries %s are left out", o.count, quoted(o.tag)))
		if len(notes) > 8 {
			break
		}
	}
	return notes
}

// setStart moves the start of the circuit to the pose in the file, or else between the orange cones.
func (c *cones) setStart(file string, out *File) error {
	var near vector
	switch {
	case c.start != nil:
		near = c.start.at
	case len(c.orange) > 0:
		for _, p := range c.orange {
			near = near.plus(p.times(1 / float64(len(c.orange))))
		}
	default:
		return nil
	}
	if err := out.start(file, Start{Near: &[2]float64{near.x, near.y}}); err != nil {
		return err
	}
	if c.start != nil {
		sin, cos := math.Sincos(c.start.heading)
		ahead := vector{out.X[0], out.Y[0]}.toward(vector{out.X[1], out.Y[1]})
		if ahead.dot(vector{cos, sin}) < 0 {
			out.Notes = append(out.Notes, "the car of the file starts in the opposite direction, with blue cones on its right")
		}
	}
	return nil
}

// withoutRepeats returns the points without those equal to an earlier one.
func withoutRepeats(points []vector) []vector {
	seen := map[vector]bool{}
	var out []vector
	for _, p := range points {
		if !seen[p] {
			seen[p] = true
			out = append(out, p)
		}
	}
	return out
}

// fillGaps inserts orange cones into gaps of the borders, where two cones are much further apart than usual. An orange
// cone beside a complete border marks the start and is not part of the border.
func fillGaps(left, right, orange []vector) (filledLeft, filledRight []vector, placed int) {
	borders := [2][]vector{left, right}
	var gap [2]float64
	for k, border := range borders {
		line := newPolyline(border)
		var steps []float64
		for i := range border {
			steps = append(steps, line.at[i+1]-line.at[i])
		}
		slices.Sort(steps)
		gap[k] = 1.5 * steps[len(steps)/2]
	}
	for _, p := range withoutRepeats(orange) {
		var lines [2]*polyline
		var distance, at [2]float64
		for k, border := range borders {
			lines[k] = newPolyline(border)
			distance[k], at[k] = lines[k].nearest(p, 0, lines[k].length())
		}
		k := 0
		if distance[1] < distance[0] {
			k = 1
		}
		i := lines[k].segment(at[k])
		if slices.Contains(borders[k], p) || lines[k].at[i+1]-lines[k].at[i] <= gap[k] || 2*distance[k] > distance[1-k] {
			continue
		}
		borders[k] = slices.Insert(slices.Clone(borders[k]), i+1, p)
		placed++
	}
	return borders[0], borders[1], placed
}
