package circuit

import (
	"fmt"
	"math"
	"slices"
)

// corridor is the road between two borders, closed lines that run side by side.
type corridor struct {
	first, second *polyline // in the same direction
	opposite      bool      // the points of the second border were in the opposite direction
	left          bool      // the first border is on the left of that direction
	width         float64   // median
}

// side is where the centreline of a corridor meets one of its borders.
type side struct {
	distance float64 // from the centreline
	at       float64 // arc length on the border
	beside   bool    // the line across misses the border
}

// station is a cross-section of a corridor.
type station struct {
	centre      vector
	left, right side
	lean        float64 // target of the centre: distance to the left of the middle, in widths of the road
}

const (
	// maxBorderPoints is the maximum number of points of the smooth line of a border, if its own points are fewer.
	maxBorderPoints = 1 << 20
	maxStations     = 1 << 17
	minStations     = 64
	stationStep     = 0.1  // distance between stations, in widths of the road
	reach           = 4.0  // distance along a border where a cross-section may meet it, in widths of the road
	nearReach       = 1.2  // the same, once the place is known from the round before
	oblique         = 1.4  // times the nearest distance: a border that is further away across is behind the tip of a bend
	maxProbes       = 512  // places at which two borders are compared
	maxWork         = 1e8  // pairs of a station or probe and a segment; about a second
	rounds          = 8    // iterations that move the stations into the middle
	tightRounds     = 60   // iterations that move them towards the inner border of a tight bend
	maxLoad         = 0.7  // maximum ratio of the inner width to the radius of a bend
	leanStep        = 0.03 // change of lean per round, in widths of the road
	maxLean         = 0.4
	noticed         = 0.02 // minimum lean for a note
	evenings        = 16   // passes of smoothing; together their standard deviation is about 0.3 widths of the road
	leanEvenings    = 1
)

// newCorridor returns the corridor between two borders, or an error if they do not run side by side. The names of the
// borders are for errors.
func newCorridor(file, firstName, secondName string, first, second []vector) (*corridor, error) {
	c := &corridor{}
	names := [2]string{firstName, secondName}
	for i, points := range [][]vector{first, second} {
		points = distinct(points)
		if len(points) < 3 {
			return nil, &Error{File: file, Name: "the number of different points of the " + names[i],
				Value: fmt.Sprint(len(points)), Want: "at least 3"}
		}
		if i == 0 {
			c.first = smooth(points, maxBorderPoints)
		} else {
			c.second = smooth(points, maxBorderPoints)
		}
	}
	probes := c.probes()
	same, opposite, leftOf := 0, 0, 0
	var widths []float64
	for k := range probes {
		s := c.first.length() * float64(k) / float64(probes)
		p := c.first.point(s)
		direction := c.first.points[c.first.segment(s)].toward(c.first.end(c.first.segment(s)))
		distance, at := c.second.nearest(p, 0, c.second.length())
		widths = append(widths, distance)
		other := c.second.segment(at)
		switch along := direction.dot(c.second.points[other].toward(c.second.end(other))); {
		case along > 0:
			same++
		case along < 0:
			opposite++
		}
		if direction.cross(c.second.point(at).minus(p)) < 0 {
			leftOf++
		}
	}
	c.left = 2*leftOf > probes
	slices.Sort(widths)
	c.width = widths[probes/2]
	if c.opposite = opposite > same; c.opposite {
		c.second = reversed(c.second)
	}
	if !(c.width > 0) {
		return nil, &Error{File: file, Name: fmt.Sprintf("the distance from the %s to the %s", names[0], names[1]),
			Value: number(c.width) + " m", Want: "more than 0: they are the same line"}
	}
	if 10*max(same, opposite) < 9*probes || 10*max(leftOf, probes-leftOf) < 9*probes {
		return nil, c.refuseCrossing(file, names)
	}
	return c, nil
}

// probes returns the number of places at which the borders are compared.
func (c *corridor) probes() int {
	return min(maxProbes, int(maxWork)/len(c.second.points))
}

// refuseCrossing returns the error for borders that do not run side by side.
func (c *corridor) refuseCrossing(file string, names [2]string) error {
	where := "the " + names[1]
	if p, found := meeting(c.first, c.second); found {
		return &Error{File: file, Name: where, Value: fmt.Sprintf("across the %s at (%s, %s)", names[0], number(p.x),
			number(p.y)), Want: "beside it all along: are these the two borders of one road, in driving order?"}
	}
	return &Error{File: file, Name: where, Value: "beside only a part of the " + names[0],
		Want: "beside it all along: are these the two borders of one road, in driving order?"}
}

// meeting returns the first place on the first line where the second line crosses it.
func meeting(first, second *polyline) (vector, bool) {
	const most = 1 << 22 // maximum number of pairs of segments
	step := max(1, len(first.points)*len(second.points)/most)
	for i := 0; i < len(first.points); i++ {
		p, d := first.points[i], first.end(i).minus(first.points[i])
		for j := 0; j < len(second.points); j += step {
			q := second.points[j]
			e := second.points[(j+step)%len(second.points)].minus(q)
			across := d.cross(e)
			f, g := q.minus(p).cross(e)/across, q.minus(p).cross(d)/across
			if f >= 0 && f < 1 && g >= 0 && g < 1 {
				return p.plus(d.times(f)), true
			}
		}
	}
	return vector{}, false
}

// reversed returns a line in the opposite direction, from the same first point.
func reversed(l *polyline) *polyline {
	points := slices.Clone(l.points)
	slices.Reverse(points[1:])
	return newPolyline(points)
}

// reverse reverses the direction of travel.
func (c *corridor) reverse() {
	c.first, c.second = reversed(c.first), reversed(c.second)
	c.left = !c.left
}

// borders returns the left and the right border, in the direction of travel.
func (c *corridor) borders() (left, right *polyline) {
	if c.left {
		return c.first, c.second
	}
	return c.second, c.first
}

// centreline returns the line in the middle between the borders. The line across each of its points meets the left and
// the right border at equal distances, except in tight bends (see leanIn). It starts near the first point of the first
// border.
func (c *corridor) centreline(file string) ([]station, error) {
	left, right := c.borders()
	stations := c.pairs(left, right)
	count := int(math.Ceil((left.length() + right.length()) / 2 / (stationStep * c.width)))
	count = min(max(count, minStations), maxStations)
	stations = c.spaced(stations, count, left, right)
	straighten(stations)
	part := min(1, 2*nearReach*c.width/max(left.length(), right.length())) // fraction of a border beside a station
	work := float64(count) * (1 + part*float64(len(left.points)+len(right.points)))
	for round := range rounds + min(tightRounds, int(maxWork/work)) {
		within := nearReach
		if round == 0 {
			within = reach
		}
		if err := c.measure(file, stations, left, right, within*c.width); err != nil {
			return nil, err
		}
		if round >= rounds && !leanIn(stations) {
			return stations, nil
		}
		shift := evened(stations)
		for i, normal := range normals(stations) {
			stations[i].centre = stations[i].centre.plus(normal.times(shift[i]))
		}
		stations = c.spaced(stations, count, left, right)
	}
	return stations, c.measure(file, stations, left, right, reach*c.width)
}

// leanIn moves the targets of stations in tight bends towards the inner border, and reports whether there are such
// bends. In the middle of the road, the lines across would meet each other before they reach the inner border. Near
// that border, the centreline has almost the same radius as the border, so the lines across are short and do not meet.
func leanIn(stations []station) bool {
	n := len(stations)
	tight := false
	lean := make([]float64, n)
	for i, s := range stations {
		const beside = 2 // stations; over fewer, the curvature is noise
		before, after := stations[(i+n-beside)%n].centre, stations[(i+beside)%n].centre
		in, out := s.centre.minus(before), after.minus(s.centre)
		curvature := 2 * angle(in, out) / (in.length() + out.length())
		lean[i] = s.lean
		if curvature*s.left.distance > maxLoad || -curvature*s.right.distance > maxLoad {
			tight = true
			lean[i] += math.Copysign(leanStep, curvature)
		}
	}
	even(lean, leanEvenings)
	for i := range stations {
		stations[i].lean = min(max(lean[i], -maxLean), maxLean)
	}
	return tight
}

// straighten smooths the line through stations, whose corners are closer than the road is wide.
func straighten(stations []station) {
	n := len(stations)
	for range evenings {
		before := stations[n-1].centre
		first := stations[0].centre
		for i := range stations {
			at, after := stations[i].centre, first
			if i < n-1 {
				after = stations[i+1].centre
			}
			stations[i].centre = between(at, between(before, after, 0.5), 0.5)
			before = at
		}
	}
}

// evened returns the distance by which each station moves to the left, to its target between the borders. Changes over
// less than the width of the road are smoothed, because they would make the line rough.
func evened(stations []station) []float64 {
	shift := make([]float64, len(stations))
	for i, s := range stations {
		shift[i] = (s.left.distance-s.right.distance)/2 + s.lean*(s.left.distance+s.right.distance)
	}
	even(shift, evenings)
	return shift
}

// even smooths values around the closed line, in the given number of passes.
func even(values []float64, times int) {
	n := len(values)
	for range times {
		before, first := values[n-1], values[0]
		for i, at := range values {
			after := first
			if i < n-1 {
				after = values[i+1]
			}
			values[i] = at/2 + (before+after)/4
			before = at
		}
	}
}

// pairs walks along both borders at the same time. Each step is on the border that gives the shorter line across the
// road. It returns the midpoints of these lines.
func (c *corridor) pairs(left, right *polyline) []station {
	step := stationStep * c.width
	counts := [2]int{}
	var samples [2][]vector
	for k, l := range []*polyline{left, right} {
		counts[k] = min(max(int(math.Ceil(l.length()/step)), minStations), maxStations)
		for i := range counts[k] {
			samples[k] = append(samples[k], l.point(l.length()*float64(i)/float64(counts[k])))
		}
	}
	// The walk starts where the right border is on the right at about the median distance, which excludes gaps to other
	// parts of the road, and bridges.
	start, partner, most := 0, 0, math.Inf(1)
	for k := 0; k < counts[0]; k += max(1, counts[0]/c.probes()) {
		p := samples[0][k]
		distance, at := right.nearest(p, 0, right.length())
		along := p.toward(samples[0][(k+1)%counts[0]])
		unusual := math.Abs(distance - c.width)
		if unusual < most && along.cross(p.toward(right.point(at))) < -0.9 {
			start, most = k, unusual
			partner = int(math.Round(at/right.length()*float64(counts[1]))) % counts[1]
		}
	}
	var stations []station
	at := func(k, i int) vector { return samples[k][i%counts[k]] }
	for i, j := 0, 0; i < counts[0] || j < counts[1]; {
		p, q := at(0, start+i), at(1, partner+j)
		nextLeft, nextRight := at(0, start+i+1).to(q), at(1, partner+j+1).to(p)
		stations = append(stations, station{centre: between(p, q, 0.5),
			left:  side{at: left.wrap(left.length() * float64(start+i) / float64(counts[0]))},
			right: side{at: right.wrap(right.length() * float64(partner+j) / float64(counts[1]))}})
		if j == counts[1] || i < counts[0] && nextLeft <= nextRight {
			i++
		} else {
			j++
		}
	}
	// The circuit starts at the first point of the first border.
	first, hint := 0, math.Inf(1)
	for i, s := range stations {
		at, length := s.left.at, left.length()
		if !c.left {
			at, length = s.right.at, right.length()
		}
		if distance := math.Abs(math.Remainder(at, length)); distance < hint {
			first, hint = i, distance
		}
	}
	return slices.Concat(stations[first:], stations[:first])
}

// spaced returns count stations at equal distances along the line through stations, with their places on the borders.
func (c *corridor) spaced(stations []station, count int, left, right *polyline) []station {
	centres := make([]vector, len(stations))
	for i, s := range stations {
		centres[i] = s.centre
	}
	line := newPolyline(centres)
	out := make([]station, count)
	for k := range out {
		s := line.length() * float64(k) / float64(count)
		i := line.segment(s)
		f := 0.0
		if step := line.at[i+1] - line.at[i]; step > 0 {
			f = (s - line.at[i]) / step
		}
		from, to := stations[i], stations[(i+1)%len(stations)]
		out[k] = station{centre: between(from.centre, to.centre, f), lean: from.lean + f*(to.lean-from.lean),
			left:  side{at: left.wrap(from.left.at + f*math.Remainder(to.left.at-from.left.at, left.length()))},
			right: side{at: right.wrap(from.right.at + f*math.Remainder(to.right.at-from.right.at, right.length()))}}
	}
	return out
}

// normals returns the unit vectors to the left of the direction of travel.
func normals(stations []station) []vector {
	n := len(stations)
	out := make([]vector, n)
	for i := range stations {
		out[i] = stations[(i+n-1)%n].centre.toward(stations[(i+1)%n].centre).left()
	}
	return out
}

// measure finds where the line across each station meets the borders. If the line misses the tip of a sharp bend, it
// ends beside the tip.
func (c *corridor) measure(file string, stations []station, left, right *polyline, within float64) error {
	missed := 0
	for i, normal := range normals(stations) {
		s := &stations[i]
		for k, border := range []*polyline{left, right} {
			there := &s.left
			if k == 1 {
				there, normal = &s.right, normal.times(-1)
			}
			distance, at := border.cast(s.centre, normal, there.at, within)
			nearest, nearestAt := border.nearest(s.centre, there.at, within)
			beside := distance > oblique*nearest
			if beside {
				missed++
				distance, at = nearest, nearestAt
				if foot := border.point(at).minus(s.centre).dot(normal); foot > distance/2 {
					distance = foot
				}
			}
			*there = side{distance, at, beside}
		}
	}
	if 3*missed > len(stations) {
		return c.refuseCrossing(file, [2]string{"left border", "right border"})
	}
	return nil
}

// circuit returns the circuit with the centreline in the middle of a corridor.
func (c *corridor) circuit(file string) (*File, error) {
	stations, err := c.centreline(file)
	if err != nil {
		return nil, err
	}
	out := &File{}
	leans := 0
	for _, s := range stations {
		if math.Abs(s.lean) > noticed {
			leans++
		}
		out.X, out.Y = append(out.X, s.centre.x), append(out.Y, s.centre.y)
		out.Right, out.Left = append(out.Right, s.right.distance), append(out.Left, s.left.distance)
	}
	if leans > 0 {
		out.Notes = append(out.Notes, fmt.Sprintf("in tight bends, %s %% of the line, it is nearer to the inner border than "+
			"to the outer one", number(math.Ceil(100*float64(leans)/float64(len(stations))))))
	}
	return out, nil
}
