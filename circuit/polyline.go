package circuit

import (
	"math"
	"sort"
)

// distinct removes the points of a closed line that equal the point before, or at the end the first point.
func distinct(points []vector) []vector {
	return distinctBy(points, func(p, q vector) bool { return p == q })
}

// distinctBy is distinct for points of any type, of which same reports whether two are at the same place.
func distinctBy[P any](points []P, same func(p, q P) bool) []P {
	var kept []P
	for _, p := range points {
		if n := len(kept); n == 0 || !same(kept[n-1], p) {
			kept = append(kept, p)
		}
	}
	for len(kept) > 1 && same(kept[0], kept[len(kept)-1]) {
		kept = kept[:len(kept)-1]
	}
	return kept
}

// polyline is a closed line of straight segments, with arc lengths.
type polyline struct {
	points []vector
	at     []float64 // arc length of each point, then the length of the line
}

func newPolyline(points []vector) *polyline {
	l := &polyline{points: points, at: make([]float64, len(points)+1)}
	for i, p := range points {
		l.at[i+1] = l.at[i] + p.to(points[(i+1)%len(points)])
	}
	return l
}

func (l *polyline) length() float64 { return l.at[len(l.points)] }

// end returns the end of segment i.
func (l *polyline) end(i int) vector { return l.points[(i+1)%len(l.points)] }

// segment returns the segment at an arc length s from 0 to the length of the line.
func (l *polyline) segment(s float64) int {
	i := sort.SearchFloat64s(l.at, s)
	if i < len(l.at) && l.at[i] == s {
		i++
	}
	return min(max(i-1, 0), len(l.points)-1)
}

// wrap reduces an arc length to the range from 0 to the length of the line.
func (l *polyline) wrap(s float64) float64 {
	length := l.length()
	if s = math.Mod(s, length); s < 0 {
		s += length
	}
	return min(s, length)
}

// point returns the point at an arc length.
func (l *polyline) point(s float64) vector {
	s = l.wrap(s)
	i := l.segment(s)
	step := l.at[i+1] - l.at[i]
	if step <= 0 {
		return l.points[i]
	}
	return between(l.points[i], l.end(i), (s-l.at[i])/step)
}

// near calls visit once for each segment within a distance, along the line, of the arc length s.
func (l *polyline) near(s, distance float64, visit func(i int)) {
	n := len(l.points)
	if 2*distance >= l.length() {
		for i := range n {
			visit(i)
		}
		return
	}
	first, last := l.segment(l.wrap(s-distance)), l.segment(l.wrap(s+distance))
	for i := first; ; i = (i + 1) % n {
		visit(i)
		if i == last {
			return
		}
	}
}

// nearest returns the distance from p to the part of the line within a distance of the arc length s, and the arc length
// of the nearest point.
func (l *polyline) nearest(p vector, s, within float64) (distance, at float64) {
	distance = math.Inf(1)
	l.near(s, within, func(i int) {
		a, d := l.points[i], l.end(i).minus(l.points[i])
		f := 0.0
		if square := d.dot(d); square > 0 {
			f = min(max(p.minus(a).dot(d)/square, 0), 1)
		}
		if r := p.to(a.plus(d.times(f))); r < distance {
			distance, at = r, l.at[i]+f*(l.at[i+1]-l.at[i])
		}
	})
	return distance, at
}

// cast returns the distance along a ray from p to the part of the line within a distance of the arc length s, and the
// arc length there. direction has length 1. The distance is infinite if the ray misses the line.
func (l *polyline) cast(p, direction vector, s, within float64) (distance, at float64) {
	distance = math.Inf(1)
	const slack = 1e-9 // fraction of a segment, so that no ray slips between two segments
	l.near(s, within, func(i int) {
		a, d := l.points[i].minus(p), l.end(i).minus(l.points[i])
		across := direction.cross(d)
		if across == 0 {
			return
		}
		if f := a.cross(direction) / across; f >= -slack && f <= 1+slack {
			if t := a.cross(d) / across; t > 0 && t < distance {
				distance, at = t, l.at[i]+min(max(f, 0), 1)*(l.at[i+1]-l.at[i])
			}
		}
	})
	return distance, at
}

// maxTurn is the maximum turn of a smooth line from one of its points to the next, in radians. The segments are within
// two millionths of the radius from the curve.
const maxTurn = 0.004

// smooth returns a smooth closed line through points, in small steps. It contains the points, and is limited to most
// points if they are fewer.
func smooth(points []vector, most int) *polyline {
	n := len(points)
	limit := max(1, most/n)
	line := make([]vector, 0, n)
	directions := tangents(points)
	for i, p := range points {
		next := (i + 1) % n
		a := newArc(p, points[next], directions[i], directions[next])
		pieces := min(max(1, int(math.Ceil(a.turn/maxTurn))), limit)
		for k := range pieces {
			line = append(line, a.point(float64(k)/float64(pieces)))
		}
	}
	return newPolyline(line)
}

// arc is a piece of a smooth line from one point to the next.
type arc struct {
	from, to vector
	u, v     vector  // tangents at the ends
	turn     float64 // sum of the turns from the first tangent to the chord and on to the second, in radians
}

// newArc returns the arc between two points with the given directions at its ends. If both directions make the same
// angle with the chord, it approximates an arc of a circle.
func newArc(from, to, u, v vector) arc {
	chord := to.minus(from)
	first, last := math.Abs(angle(u, chord)), math.Abs(angle(chord, v))
	cos := math.Cos(min((first+last)/4, math.Pi/4))
	length := chord.length() / (cos * cos)
	return arc{from: from, to: to, u: u.times(length), v: v.times(length), turn: first + last}
}

// point returns the point at parameter f, from 0 to 1, of a cubic curve with the tangents at its ends.
func (a *arc) point(f float64) vector {
	g := 1 - f
	return a.from.times(g * g * (1 + 2*f)).plus(a.to.times(f * f * (3 - 2*f))).plus(a.u.times(f * g * g)).
		minus(a.v.times(f * f * g))
}

// tangents returns the directions of a smooth closed line at its points. At each point, the turn from one chord to the
// next is divided between the two chords. If the curvature is linear between points, a chord of length a turns by a
// times (one third of the curvature at the point plus one sixth of that at its other end). A chord much longer than its
// neighbour is straight, and the other takes the whole turn.
func tangents(points []vector) []vector {
	n := len(points)
	chords := make([]vector, n) // to the next point
	lengths := make([]float64, n)
	for i, p := range points {
		chords[i] = points[(i+1)%n].minus(p)
		lengths[i] = chords[i].length()
	}
	turns, curvatures := make([]float64, n), make([]float64, n)
	for i := range points {
		before := (i + n - 1) % n
		turns[i] = angle(chords[before], chords[i])
		curvatures[i] = 2 * turns[i] / (lengths[before] + lengths[i])
	}
	out := make([]vector, n)
	for i := range points {
		before, after := (i+n-1)%n, (i+1)%n
		a, b := lengths[before], lengths[i]
		if math.Abs(turns[i]) > thereAndBack {
			out[i] = chords[i].unit()
			continue
		}
		first, last := a*(2*curvatures[i]+curvatures[before]), b*(2*curvatures[i]+curvatures[after])
		round, straight := a/(a+b), b/(a+b)
		if first*last > 0 {
			round = first / (first + last)
		}
		similar := min(max(3*min(a, b)/max(a, b)-1, 0), 1) // 0 for a third of the length, 1 for two thirds
		sin, cos := math.Sincos(turns[i] * (straight + similar*(round-straight)))
		in := chords[before].unit()
		out[i] = vector{in.x*cos - in.y*sin, in.x*sin + in.y*cos}
	}
	return out
}

// thereAndBack is the turn, in radians, above which the line reverses at a point.
const thereAndBack = 3.1

// angle returns the angle from a to b, from -Pi to Pi.
func angle(a, b vector) float64 { return math.Atan2(a.cross(b), a.dot(b)) }
