package export

import (
	"fmt"
	"io"
	"math"
)

// smoothProfile is a quantity along a lap whose derivative is continuous: a cubic for each piece of the reference line,
// through the value at each point. It is the closed cubic spline over the arc length.
type smoothProfile struct {
	values, slopes []float64
	constant       bool
}

// newSmoothProfile returns the profile through one value for each piece, at its start.
func newSmoothProfile(values []float64, pieces []cubic) smoothProfile {
	points, lengths := make([]Point, len(values)), make([]float64, len(values))
	p := smoothProfile{values: values, slopes: make([]float64, len(values)), constant: true}
	for i, v := range values {
		points[i], lengths[i] = Point{X: v}, pieces[i].length
		p.constant = p.constant && v == values[0]
	}
	for i, slope := range splineTangents(points, lengths) {
		p.slopes[i] = slope.x
	}
	return p
}

// cubic returns the coefficients on piece i of a given length: a + b ds + c ds² + d ds³.
func (p smoothProfile) cubic(i int, length float64) (a, b, c, d float64) {
	next := (i + 1) % len(p.values)
	chord := (p.values[next] - p.values[i]) / length
	from, to := p.slopes[i], p.slopes[next]
	return p.values[i], from, (3*chord - 2*from - to) / length, (from + to - 2*chord) / (length * length)
}

// continues reports whether the cubic of piece i also describes a later piece k: a way ds after the start of piece i,
// it has the value and the slope of the profile at the end of piece k.
func (p smoothProfile) continues(pieces []cubic, i, k int, ds float64) bool {
	a, b, c, d := p.cubic(i, pieces[i].length)
	value := a + float64(ds*(b+float64(ds*(c+float64(ds*d)))))
	slope := b + float64(ds*(2*c+float64(3*float64(ds*d))))
	next, length := (k+1)%len(p.values), pieces[k].length
	tolerance := redundant * min(1, float64(length*float64(length*length)))
	return math.Abs(value-p.values[next]) <= tolerance && length*math.Abs(slope-p.slopes[next]) <= 3*tolerance
}

// redundant is the largest difference between two cubics that count as one, for pieces of 1 m or more. ASAM's checker
// wants one record for cubics whose coefficients differ by no more than 1e-6.
const redundant = 2e-6

// writeSmooth writes the part of a profile on one road as elements with s and the coefficients of a cubic: one for each
// piece on which the profile leaves the cubic before, or a single one if the profile is constant.
func (l *lap) writeSmooth(out io.Writer, element string, road ringRoad, p smoothProfile) {
	start, last := l.pieces[road.first].s, road.first // last is the piece whose cubic is written
	for i := road.first; i < road.end; i++ {
		s, length := l.pieces[i].s-start, l.pieces[i].length
		a, b, c, d := p.cubic(i, length)
		if p.constant {
			a, b, c, d = p.values[0], 0, 0, 0
		}
		if i > road.first && (p.constant || p.continues(l.pieces, last, i, l.pieces[i].s+length-l.pieces[last].s)) {
			continue
		}
		last = i
		fmt.Fprintf(out, `      <%s s="%s" a="%s" b="%s" c="%s" d="%s"/>`+"\n", element, exact(s), exact(a), exact(b),
			exact(c), exact(d))
	}
}

// writeProfiles writes the heights and the bank angles of one road, if it has any.
func (l *lap) writeProfiles(out io.Writer, road ringRoad) {
	if !l.road.flat() {
		_, _ = io.WriteString(out, "    <elevationProfile>\n")
		l.writeSmooth(out, "elevation", road, l.heights)
		_, _ = io.WriteString(out, "    </elevationProfile>\n")
	}
	if l.banked {
		_, _ = io.WriteString(out, "    <lateralProfile>\n")
		l.writeSmooth(out, "superelevation", road, l.bank)
		_, _ = io.WriteString(out, "    </lateralProfile>\n")
	}
}

// Bank returns the angle in radians by which the road is tilted at point i: that from the right border to the left one,
// seen along the road. It is > 0 where the left border is higher.
func (r *Road) Bank(i int) float64 {
	right, left := r.Right[i], r.Left[i]
	if left.Z == right.Z {
		return 0
	}
	return math.Atan2(left.Z-right.Z, planDistance(right, left))
}
