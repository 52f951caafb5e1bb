package curve

// maxRatio is the maximum ratio of the lengths of two neighbouring segments without points between.
const maxRatio = 3

// knot is a point between two polynomials of the spline.
type knot struct {
	Vector
	source int // index of the given point, or -1 for a point that grade inserted
}

// grade returns the points of a closed line, and inserts points into each segment more than maxRatio times as long as
// its neighbour. The distances double with each point away from the short segment. Lengths below smooth count as
// smooth, because noise dominates at such distances.
func grade(points []Vector, smooth float64) []knot {
	n := len(points)
	at := func(i int) Vector { return points[((i%n)+n)%n] }
	length := func(i int) float64 { return max(at(i+1).Sub(at(i)).Len(), smooth) }
	knots := make([]knot, 0, n)
	for i := range n {
		knots = append(knots, knot{points[i], i})
		before, here, after := length(i-1), length(i), length(i+1)
		fromStart, fromStop := here > maxRatio*before, here > maxRatio*after
		if !fromStart && !fromStop {
			continue
		}
		chord := at(i + 1).Sub(at(i))
		start := tangent(at(i-2), at(i-1), at(i), chord, fromStart)
		stop := tangent(at(i+3), at(i+2), at(i+1), chord.Scale(-1), fromStop)
		var first, last []float64
		if fromStart {
			first = doubling(before / here)
		}
		if fromStop {
			last = doubling(after / here)
		}
		for _, u := range first {
			knots = append(knots, knot{hermite(at(i), at(i+1), start, stop.Scale(-1), u), -1})
		}
		for k := len(last) - 1; k >= 0; k-- {
			knots = append(knots, knot{hermite(at(i), at(i+1), start, stop.Scale(-1), 1-last[k]), -1})
		}
	}
	return knots
}

// doubling returns places on the first half of a segment, as fractions of its length. The steps start with step and
// double.
func doubling(step float64) []float64 {
	var places []float64
	for at := step; at < 0.4; {
		places = append(places, at)
		step *= 2
		at += step
	}
	return places
}

// tangent returns the derivative at c of a cubic that leaves c along chord, per whole cubic; a and b are the points
// before. If short is true, the segment from b to c is much shorter than chord, and the direction is that of the circle
// through a, b and c. Otherwise it is that of the circle through b, c and the end of the chord. The direction is never
// outside the angle between the two segments that meet at c.
func tangent(a, b, c, chord Vector, short bool) Vector {
	in := c.Sub(b)
	var t Vector
	if short {
		// The tangent at c of the circle through three points, as complex numbers: (c-a)(c-b)/(b-a).
		from := b.Sub(a)
		t = c.Sub(a).times(in).times(Vector{from.X, -from.Y})
	} else {
		across := in.Add(chord)
		t = in.times(chord).times(Vector{across.X, -across.Y})
	}
	t = t.unit()
	side := in.Cross(chord)
	switch {
	case side == 0, in.Dot(chord) <= 0, t.Dot(chord) <= 0, float64(t.Cross(chord)*side) <= 0:
		return chord
	case float64(in.Cross(t)*side) <= 0:
		t = in.unit()
	}
	// With this length, equal angles at both ends give nearly an arc of a circle.
	return t.Scale(2 * chord.Len() / (1 + t.Dot(chord)/chord.Len()))
}

// hermite returns the point at parameter u of the cubic from p to q with the derivatives start and stop.
func hermite(p, q, start, stop Vector, u float64) Vector {
	chord := q.Sub(p)
	c := chord.Scale(3).Sub(start.Scale(2)).Sub(stop)
	d := start.Add(stop).Sub(chord.Scale(2))
	return d.Scale(u).Add(c).Scale(u).Add(start).Scale(u).Add(p)
}
