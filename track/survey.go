package track

import (
	"math"

	"github.com/trackgen-go/trackgen/internal/curve"
	"github.com/trackgen-go/trackgen/kernels/measured"
)

// Bend is a place in a bend of a circuit. Lengths are in the unit of the circuit.
type Bend struct {
	Radius float64 // of the curve; +Inf on a straight
	Inner  float64 // width of the road on the inside of the bend
	At     float64 // arc length from the first point
	X, Y   float64
}

// Approach is a place at which the road of a circuit meets another part of itself. Lengths are in the unit of the
// circuit.
type Approach struct {
	At       float64 // arc length from the first point
	X, Y     float64
	Other    float64 // arc length of the other part
	Distance float64 // between the centrelines of both parts
	Widths   float64 // part of that distance that the widths of both parts take
}

// Survey describes the curve through the points of a circuit and the road along it, as Import makes them without Relax.
type Survey struct {
	Length   float64 // of the curve
	Points   int     // of the track, if MaxPoints is large enough
	Smoothed float64 // largest distance of the curve from a point of the circuit
	Sag      float64 // largest distance of the curve from the straight lines between the points of the track

	Tightest    Bend // the smallest radius
	Sharpest    Bend // the bend with the largest ratio of inner width to radius
	SharpPoints int  // points of the track where the inner width exceeds the radius (ReasonCurvature)

	Closest     *Approach // where the road overlaps itself most; nil if it does not meet itself
	ClosePoints int       // points of the track where it overlaps itself (ReasonSeparation)
	FlatPoints  int       // points of the track at which the line crosses itself at less than 30 degrees

	TrimmedPoints int     // points of the track whose widths TrimInner has cut
	LargestCut    float64 // off a width

	Heights *HeightSurvey // nil if the track is level
}

// HeightSurvey describes the heights along a circuit. Lengths are in the unit of the circuit.
type HeightSurvey struct {
	Lowest, Highest float64 // of the points of the track
	Climb           float64 // sum of all rises around the circuit
	Steepest        float64 // largest grade between two points of the track, < 0 downhill
	At              float64 // arc length of the first of these points in plan view
	Moved           float64 // largest change of a given height by HeightSmoothing
}

// SurveyCircuit describes a circuit without a device. It returns the errors of Import for the options and the circuit.
func SurveyCircuit(options ImportOptions, circuit Circuit) (*Survey, error) {
	const op = "survey circuit"
	if err := options.check(); err != nil {
		return nil, err
	}
	p, err := newMeasuredCircuit(options, &circuit, 0)
	if err != nil {
		return nil, during(op, err)
	}
	return p.survey(), nil
}

// survey describes the circuit.
func (p *measuredCircuit) survey() *Survey {
	s := &Survey{Length: p.line.Length(), Points: p.needed, Smoothed: p.line.Smoothed,
		Tightest: Bend{Radius: math.Inf(1)}, Sharpest: Bend{Radius: math.Inf(1)}}
	p.surveyBends(s)
	p.surveySag(s)
	p.surveyApproaches(s)
	p.surveyCuts(s)
	p.surveyHeights(s)
	return s
}

// surveyHeights describes the heights of the points of the track.
func (p *measuredCircuit) surveyHeights(s *Survey) {
	if p.height == nil {
		return
	}
	places, n := p.line.Sample(s.Points, s.Points), s.Points
	z := func(k int) float64 {
		height, _ := p.height.At(places[k%n].Arc)
		return height
	}
	first := z(0)
	h := &HeightSurvey{Lowest: first, Highest: first, Moved: p.height.Moved}
	here := first
	for k := range places {
		next := z(k + 1)
		h.Lowest, h.Highest, h.Climb = min(h.Lowest, here), max(h.Highest, here), h.Climb+max(next-here, 0)
		grade := (next - here) / places[(k+1)%n].Sub(places[k].Vector).Len()
		if math.Abs(grade) > math.Abs(h.Steepest) {
			h.Steepest, h.At = grade, places[k].Arc
		}
		here = next
	}
	s.Heights = h
}

// tolerance is the fraction of a width that the tests use.
func tolerance() float64 { return 1 - DefaultConfig().Validity.ThicknessTolerance }

// surveyBends finds the tightest bends.
func (p *measuredCircuit) surveyBends(s *Survey) {
	step := s.Length / float64(s.Points)
	sharp := make([]bool, s.Points)
	most := 0.0
	p.line.Scan(func(q curve.Place) {
		b := Bend{Radius: math.Abs(1 / q.Curvature), Inner: p.judged.widthAt(inner(q.Curvature), q.Arc), At: q.Arc,
			X: q.X, Y: q.Y}
		if b.Radius < s.Tightest.Radius {
			s.Tightest = b
		}
		part := math.Abs(q.Curvature) * b.Inner
		if part > most {
			most, s.Sharpest = part, b
		}
		if k := int(q.Arc/step+0.5) % s.Points; part*tolerance() > 1 && !sharp[k] {
			sharp[k] = true
			s.SharpPoints++
		}
	})
}

// surveySag measures how far the straight lines between the points of the track are from the curve.
func (p *measuredCircuit) surveySag(s *Survey) {
	points := p.line.Sample(s.Points, s.Points)
	step := s.Length / float64(s.Points)
	p.line.Scan(func(q curve.Place) {
		k := min(int(q.Arc/step), s.Points-1)
		from, to := points[k], points[(k+1)%s.Points]
		chord := to.Sub(from.Vector)
		if length := chord.Len(); length > 0 {
			s.Sag = max(s.Sag, math.Abs(chord.Cross(q.Sub(from.Vector)))/length)
		}
	})
}

// surveyApproaches finds the places where the road meets itself.
func (p *measuredCircuit) surveyApproaches(s *Survey) {
	close := make([]bool, len(p.judged.place))
	most := 0.0
	flat := p.meetings(func(m measured.Meeting) {
		close[m.I] = true
		distance, facing := math.Sqrt(float64(m.Squared)), float64(m.Here+m.There)
		overlap := facing - float64(m.Squared)
		if overlap > most || s.Closest == nil {
			here, there := p.judged.place[m.I], p.judged.place[m.J]
			most = max(overlap, 0)
			s.Closest = &Approach{At: here.Arc, X: here.X, Y: here.Y, Other: there.Arc, Distance: distance}
			if distance > 0 {
				s.Closest.Widths = facing / distance
			}
		}
	})
	for k := range s.Points {
		arc := float64(k) * s.Length / float64(s.Points)
		i := int(arc/p.judged.step+0.5) % len(close)
		if close[i] {
			s.ClosePoints++
		}
		if flat[i] != 0 {
			s.FlatPoints++
		}
	}
	for i := range flat {
		if flat[i] != 0 && s.FlatPoints == 0 { // the crossing is between two points of a coarse track
			s.FlatPoints = 1
		}
		if close[i] && s.ClosePoints == 0 {
			s.ClosePoints = 1
		}
	}
}

// surveyCuts compares the widths with those without cuts.
func (p *measuredCircuit) surveyCuts(s *Survey) {
	if len(p.cuts) == 0 {
		return
	}
	after, n := p.sample(s.Points, s.Points), s.Points
	right, left := p.line.Interpolate(p.width[0], n, n), p.line.Interpolate(p.width[1], n, n)
	for k := range n {
		off := max(right[k]-after.width[0][k], left[k]-after.width[1][k])
		if off > 0 {
			s.TrimmedPoints++
		}
		s.LargestCut = max(s.LargestCut, off)
	}
}
