package circuit

import (
	"fmt"
	"math"
	"slices"
	"strings"
)

// from returns the vector from point i to point j.
func (c *File) from(i, j int) vector { return vector{c.X[j] - c.X[i], c.Y[j] - c.Y[i]} }

// scale returns the lengths that tolerances depend on: the mean half width, or 0 without widths, and the median
// distance between neighbours.
func (c *File) scale() (half, median float64) {
	n := len(c.X)
	segments := make([]float64, n-1)
	for i := range segments {
		segments[i] = c.segment(i)
	}
	slices.Sort(segments)
	for i := range c.Right {
		half += (c.Right[i] + c.Left[i]) / 2 / float64(n)
	}
	return half, segments[len(segments)/2]
}

// dropOverlap removes the points at the end of the line that lie on its beginning: a recorded lap may go on past its
// start, even for several laps.
func (c *File) dropOverlap() {
	n := len(c.X)
	if n < 5 {
		return
	}
	half, median := c.scale()
	beside := max(half/2, median/10)
	if !c.Widths() {
		beside = max(median, c.PolygonLength()/500)
	}
	start := c.from(0, 1)
	away, far := false, min(2*(beside+start.length()), c.reach()/2)
	for j := 2; j < n-1; j++ {
		here, next := c.from(0, j), c.from(0, j+1)
		away = away || here.length() > far
		step := c.from(j, j+1)
		if !away || here.dot(start) >= 0 || next.dot(start) < 0 || step.dot(start) < 0.5*step.length()*start.length() {
			continue
		}
		// The line passes its start here, in the direction of its first segment.
		part := -here.dot(start) / step.dot(start)
		aside := math.Abs(start.cross(vector{here.x + part*step.x, here.y + part*step.y})) / start.length()
		bow := step.length() / 8 * turn(c.from(j-1, j), start) // height of the arc over its chord
		if aside > beside+bow || !c.repeats(j, beside) {
			continue
		}
		past := (1 - part) * step.length()
		for i := j + 1; i < n-1; i++ {
			past += c.segment(i)
		}
		points := "the last point"
		if left := n - 1 - j; left > 1 {
			points = fmt.Sprintf("the last %d points", left)
		}
		if rounded := math.Round(past*100) / 100; rounded > 0 {
			c.Notes = append(c.Notes, fmt.Sprintf("left out %s: the line goes on for %s m past its start", points,
				number(rounded)))
		} else {
			c.Notes = append(c.Notes, fmt.Sprintf("left out %s: the line ends at its start", points))
		}
		for i := n - 1; i > j; i-- {
			c.drop(i)
		}
		return
	}
}

// reach returns the largest distance of a point from the first.
func (c *File) reach() (farthest float64) {
	for i := range c.X {
		farthest = max(farthest, c.from(0, i).length())
	}
	return farthest
}

// dropLastNearFirst removes the last point if it is a second measurement of the first: the two are much closer than
// their other neighbours, and the line has a kink there.
func (c *File) dropLastNearFirst() {
	n := len(c.X)
	if n < 5 {
		return
	}
	half, _ := c.scale()
	in, gap, out := c.from(n-2, n-1), c.from(n-1, 0), c.from(0, 1)
	short := min(in.length(), out.length()) / 4
	if c.Widths() {
		short = min(short, half/2)
	}
	kink := math.Max(turn(in, gap), turn(gap, out))
	if gap.length() > short || kink < maxKink || turn(c.from(n-2, 0), out) > kink/2 {
		return
	}
	c.Notes = append(c.Notes, fmt.Sprintf("left out the last point, %s m from the first one: it would make a kink there",
		metre(gap.length())))
	c.drop(n - 1)
}

// maxKink is the minimum turn of a kink at the seam, in radians: 20 degrees.
const maxKink = 0.35

// turn returns the angle between two directions, from 0 to Pi.
func turn(v, w vector) float64 { return math.Atan2(math.Abs(v.cross(w)), v.dot(w)) }

// repeats reports whether the points after point last repeat the closed line up to it, in order from its start.
func (c *File) repeats(last int, beside float64) bool {
	lap := last + 1
	bows := c.bows(lap)
	at := 0 // the segment of the lap on which the previous point lies
	for k := lap; k < len(c.X); k++ {
		reach := 2 * (beside + c.segment(k-1))
		nearest, best := at, math.Inf(1)
		for passed, i := 0.0, at; passed <= reach && i < at+lap; i++ {
			a, b := i%lap, (i+1)%lap
			way, to := c.from(a, b), c.from(a, k)
			part := min(max(to.dot(way)/max(way.dot(way), math.SmallestNonzeroFloat64), 0), 1)
			d := math.Hypot(to.x-part*way.x, to.y-part*way.y) - bows[a]
			if d < best {
				nearest, best = i, d
			} else if best <= beside {
				break // the lap moves away from the point
			}
			passed += way.length()
		}
		if best > beside {
			return false
		}
		at = nearest % lap
	}
	return true
}

// bows returns the height of the arc over each chord of the closed line through the first lap points. It follows from
// the turns at the ends of the chord.
func (c *File) bows(lap int) []float64 {
	bows := make([]float64, lap)
	for a := range bows {
		before, b, after := (a+lap-1)%lap, (a+1)%lap, (a+2)%lap
		way := c.from(a, b)
		bows[a] = way.length() / 8 * max(turn(c.from(before, a), way), turn(way, c.from(b, after)))
	}
	return bows
}

const (
	backSine   = 0.26 // sine of 15 degrees, the maximum deviation of a reversal from half a turn
	fewTurns   = 6    // maximum number of reversals that count as errors; more may be noise
	openFactor = 4    // minimum ratio of the closing distance to the longest other one of an open line
)

// checkTurns refuses a line that reverses at a few points or repeats a part of itself. It adds a note if the line
// reverses at many points or looks open.
func (c *File) checkTurns(file string, options Options) error {
	if err := c.checkRepeats(file); err != nil {
		return err
	}
	n := len(c.X)
	half, median := c.scale()
	turns := 0
	var first error
	fail := func(err error) {
		turns++
		if first == nil {
			first = err
		}
	}
	for i := range n {
		before, after := (i+n-1)%n, (i+1)%n
		in, out := c.from(before, i), c.from(i, after)
		short, long := min(in.length(), out.length()), max(in.length(), out.length())
		aside, jitter := half/4, half/10
		if !c.Widths() {
			aside, jitter = short/10, median/10
		}
		back := in.dot(out) < 0 && math.Abs(in.cross(out)) <= backSine*short*long &&
			math.Abs(in.cross(out))/long <= aside
		switch {
		case short <= jitter: // noise, which the curve smooths
		case back && (i == 0 || i == n-1):
			fail(c.failAt(file, n-1, fmt.Sprintf("the way from the last point to the first, %s, which closes the circuit,",
				c.where(0)), "one that comes back on itself",
				"one that goes on: is the line open, or does it overlap its start?"))
		case back:
			fail(c.failAt(file, i, fmt.Sprintf("the way from the point before, %s, to this one and on to the next, %s,",
				c.where(before), c.where(after)), "one that comes back on itself",
				"one that goes on: are points out of order, or repeated?"))
		case c.isSpike(i):
			fail(c.failAt(file, i, "the point", fmt.Sprintf(
				"a spike: %s m and %s m from its neighbours, which are %s m apart", metre(in.length()), metre(out.length()),
				metre(c.from(before, after).length())), "on the line"))
		}
	}
	if turns > max(fewTurns, n/50) {
		c.Notes = append(c.Notes, fmt.Sprintf(
			"the line comes back on itself at %d of %d points: are they in order, or noisy?", turns, n))
	} else if first != nil {
		return first
	}
	c.noteOpen(options)
	return nil
}

// noteOpen adds a note if the line looks open.
func (c *File) noteOpen(options Options) {
	n := len(c.X)
	longest := 0.0
	for i := range n - 1 {
		longest = max(longest, c.segment(i))
	}
	if gap := c.segment(n - 1); options.MaxGap == 0 && gap > openFactor*longest {
		c.Notes = append(c.Notes, fmt.Sprintf("closed over %s m, from the last point to the first, and no other two points "+
			"are more than %s m apart: is the line open?", metre(gap), metre(longest)))
	}
}

// checkRepeats refuses a line with two or more points in a row that equal earlier points in a row.
func (c *File) checkRepeats(file string) error {
	first := make(map[vector]int, len(c.X))
	before := -2 // the earlier point that equals the previous point; -2 if there is none
	for i := range c.X {
		place := vector{c.X[i], c.Y[i]}
		same, ok := first[place]
		switch {
		case !ok:
			first[place], before = i, -2
		case same == before+1:
			return c.failAt(file, i-1, "the line of points from here on", "one that repeats the points from "+
				strings.TrimPrefix(c.where(before), "on ")+" on", "one that goes on")
		default:
			before = same
		}
	}
	return nil
}

// isSpike reports whether point i alone is off the line: the line turns by more than 150 degrees there, the other way
// at both neighbours, and the neighbours are close to one another.
func (c *File) isSpike(i int) bool {
	n := len(c.X)
	at := func(k int) int { return (i + k + n) % n }
	if n < 5 {
		return false
	}
	turn := func(k int) (sine, cosine float64) {
		in, out := c.from(at(k-1), at(k)), c.from(at(k), at(k+1))
		scale := in.length() * out.length()
		return in.cross(out) / scale, in.dot(out) / scale
	}
	sine, cosine := turn(0)
	first, firstCosine := turn(-1)
	last, lastCosine := turn(1)
	apart := c.from(at(-1), at(1)).length()
	return cosine < -0.866 && sine*first < 0 && sine*last < 0 && max(firstCosine, lastCosine) < 0.707 &&
		2*apart < min(c.segment(at(-1)), c.segment(i))
}

// where returns the place of point i in the file: its line or its number.
func (c *File) where(i int) string {
	if c.lines != nil {
		return fmt.Sprintf("on line %d", c.lines[i])
	}
	return fmt.Sprintf("number %d", i+1)
}

// failAt returns an error about point i.
func (c *File) failAt(file string, i int, name, value, want string) error {
	line := 0
	if c.lines != nil {
		line = c.lines[i]
	} else {
		name = fmt.Sprintf("point %d: %s", i+1, name)
	}
	return &Error{File: file, Line: line, Name: name, Value: value, Want: want}
}

// metre formats a length in metres, rounded to centimetres.
func metre(v float64) string { return number(math.Round(v*100) / 100) }
