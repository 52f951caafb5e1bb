package command

import (
	"fmt"
	"math"

	"github.com/trackgen-go/trackgen"
)

// curvatureReport says where bends are too tight for the road: at the worst place, and at how many points of the track.
type curvatureReport struct {
	Points int     `json:"points"`
	Radius float64 `json:"radius"`
	Inner  float64 `json:"inner"` // width of the road on the inside
	At     float64 `json:"at"`    // arc length from the first point
	X      float64 `json:"x"`
	Y      float64 `json:"y"`
}

// separationReport says where the road meets another part of itself: at the worst place, and at how many points of the
// track.
type separationReport struct {
	Points   int     `json:"points"`
	Flat     int     `json:"flat"`     // points at which the line crosses itself at less than 30 degrees
	Distance float64 `json:"distance"` // between the centrelines of both parts
	Widths   float64 `json:"widths"`   // what the widths of both parts take of it
	At       float64 `json:"at"`       // arc length from the first point
	Other    float64 `json:"other"`    // arc length of the other part
	X        float64 `json:"x"`
	Y        float64 `json:"y"`
}

// trimReport says what --trim-inner has cut.
type trimReport struct {
	Points     int     `json:"points"`
	LargestCut float64 `json:"largest_cut"` // off a width
}

// addSurvey adds the survey of the curve and, if the road has no room, the options that lead to a valid track.
func (r *circuitReport) addSurvey(s *trackgen.Survey, options trackgen.ImportOptions, circuit trackgen.Circuit) {
	r.Smoothed, r.Sag = s.Smoothed, s.Sag
	if !math.IsInf(s.Tightest.Radius, 1) {
		r.Tightest = &bendReport{Radius: s.Tightest.Radius, At: number32(s.Tightest.At), X: number32(s.Tightest.X),
			Y: number32(s.Tightest.Y)}
	}
	if s.SharpPoints > 0 {
		b := s.Sharpest
		r.Curvature = &curvatureReport{s.SharpPoints, b.Radius, b.Inner, b.At, b.X, b.Y}
	}
	if s.Closest != nil {
		c := s.Closest
		r.Separation = &separationReport{s.ClosePoints, s.FlatPoints, c.Distance, c.Widths, c.At, c.Other, c.X, c.Y}
	}
	if options.TrimInner {
		r.Trimmed = &trimReport{s.TrimmedPoints, s.LargestCut}
	}
	if hasRoom(s) {
		return
	}
	r.Remedies = append(r.Remedies, "--relax moves the line to make room for its widest road")
	if width := roomyHalfWidth(s, options, circuit); width > 0 {
		r.Remedies = append(r.Remedies, fmt.Sprintf("--half-width %v makes a narrower road", width))
	}
	trimmed := options
	trimmed.TrimInner = true
	if after, err := trackgen.SurveyCircuit(trimmed, circuit); err == nil && !options.TrimInner {
		switch {
		case hasRoom(after):
			r.Remedies = append(r.Remedies, fmt.Sprintf(
				"--trim-inner cuts the inner widths to the room there is, %s by up to %.2f m", pointsOf(after.TrimmedPoints),
				after.LargestCut))
		case after.SharpPoints < s.SharpPoints:
			r.Remedies = append(r.Remedies, "--trim-inner cuts the inner widths to the radius, which mends the bends alone")
		}
	}
}

// hasRoom reports whether the road of a circuit fits everywhere.
func hasRoom(s *trackgen.Survey) bool {
	return s.SharpPoints == 0 && s.Closest == nil && s.FlatPoints == 0
}

// roomyHalfWidth returns a width to either side with which the road of a circuit fits everywhere, or 0.
func roomyHalfWidth(s *trackgen.Survey, options trackgen.ImportOptions, circuit trackgen.Circuit) float64 {
	width := s.Sharpest.Radius
	if s.Closest != nil {
		width = min(width, s.Closest.Distance/2)
	}
	const tries = 4
	circuit.Right, circuit.Left = nil, nil
	for range tries {
		options.HalfWidth = twoDigits(width)
		if !(options.HalfWidth > 0) {
			return 0
		}
		if after, err := trackgen.SurveyCircuit(options, circuit); err == nil && hasRoom(after) {
			return options.HalfWidth
		}
		width *= 0.85
	}
	return 0
}

// twoDigits rounds a number > 0 down to two digits.
func twoDigits(v float64) float64 {
	if !(v > 1e-6 && v < 1e6) {
		return 0
	}
	scale := math.Pow(10, 1-math.Floor(math.Log10(v)))
	return math.Floor(v*scale) / scale
}

// relaxedBends returns where bends of a relaxed track are too tight, by the circles through three points, or nil.
func relaxedBends(b *trackgen.Batch, e int) *curvatureReport {
	points := b.Points(b.Center, e)
	var worst *curvatureReport
	count, most := 0, 1/0.98 // the tests allow 2 % more
	for i := range points {
		radius, left := bendAt(points, i)
		inner := float64(b.WidthRight[e*b.NMax+i])
		if left {
			inner = float64(b.WidthLeft[e*b.NMax+i])
		}
		part := inner / radius
		if part > 1/0.98 {
			count++
		}
		if part > most {
			most = part
			p := points[i]
			worst = &curvatureReport{Radius: radius, Inner: inner, At: float64(b.Arclen[e*b.NMax+i]), X: float64(p.X),
				Y: float64(p.Y)}
		}
	}
	if worst != nil {
		worst.Points = count
	}
	return worst
}

// writeFaults writes where the road has no room, what was done about it, and what else makes room.
func (r *circuitReport) writeFaults(line func(name, format string, values ...any)) {
	if c := r.Curvature; c != nil {
		line("curvature", "radius %.2f m, inner width %.2f m, %.0f m along, at (%.1f, %.1f); %s in all", c.Radius, c.Inner,
			c.At, c.X, c.Y, pointsOf(c.Points))
	}
	if s := r.Separation; s != nil {
		line("separation", "%.2f m of road on %.2f m, from %.0f m along, at (%.1f, %.1f), to %.0f m along; %s in all",
			s.Widths, s.Distance, s.At, s.X, s.Y, s.Other, pointsOf(s.Points))
		if s.Flat > 0 {
			line("", "the line crosses itself at less than 30 degrees: is there more than a lap?")
		}
	}
	if t := r.Trimmed; t != nil {
		line("trimmed", "%s, by up to %.2f m", pointsOf(t.Points), t.LargestCut)
	}
	for i, remedy := range r.Remedies {
		name := ""
		if i == 0 {
			name = "remedies"
		}
		line(name, "%s", remedy)
	}
	if r.Smoothed >= 0.0005 {
		line("smoothed", "points that are near to one another, by up to %.3f m", r.Smoothed)
	}
}

// pointsOf returns a number of points as text.
func pointsOf(n int) string {
	if n == 1 {
		return "1 point"
	}
	return fmt.Sprintf("%d points", n)
}
