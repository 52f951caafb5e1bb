package track

import (
	"math"

	"github.com/trackgen-go/trackgen/internal/curve"
	"github.com/trackgen-go/trackgen/kernel"
)

// The default spacing and its minimum, as multiples of the mean half width.
const (
	defaultSpacing = 0.6
	finestDefault  = 0.15
)

// Lengths as multiples of the mean width to the narrower side. They also have bounds relative to the length of the
// line, so that a road that is wide for its line does not change the line.
const (
	smoothing     = 0.2 // of the curve: see curve.Fit
	smoothingPart = 1.0 / 200
	samePlace     = 1.0 / 500 // points nearer to one another are one point
	samePart      = 1e-4
	judging       = 0.6 // distance of the places at which the road is tested
)

// polygonLength returns the length of the closed polygon through the points.
func (p *measuredCircuit) polygonLength() float64 {
	length := 0.0
	for i, q := range p.point {
		length += p.point[(i+1)%len(p.point)].Sub(q).Len()
	}
	return length
}

// smoothing returns the smoothing length for curve.Fit.
func (p *measuredCircuit) smoothing() float64 {
	return min(smoothing*p.narrow, smoothingPart*p.polygonLength())
}

// merge removes points that almost coincide with the one before, and at the end with the first.
func (p *measuredCircuit) merge() {
	near := min(samePlace*p.narrow, samePart*p.polygonLength())
	kept := 0
	for i, q := range p.point {
		if kept > 0 && q.Sub(p.point[kept-1]).Len() <= near {
			continue
		}
		p.point[kept], p.width[0][kept], p.width[1][kept] = q, p.width[0][i], p.width[1][i]
		if p.z != nil {
			p.z[kept] = p.z[i]
		}
		kept++
	}
	for kept > 1 && p.point[kept-1].Sub(p.point[0]).Len() <= near {
		kept--
	}
	if p.z != nil {
		p.z = p.z[:kept]
	}
	p.point, p.width = p.point[:kept], [2][]float64{p.width[0][:kept], p.width[1][:kept]}
}

// stepOf returns the distance from a coordinate to the next larger float32.
func stepOf(coordinate float64) float64 {
	return float64(math.Nextafter32(float32(coordinate), math.MaxFloat32)) - float64(float32(coordinate))
}

// leastSpacing returns the smallest spacing at which rounding errors do not determine the shape of the road.
func (p *measuredCircuit) leastSpacing(farthest float64) float64 {
	widest := 0.0
	for i := range p.point {
		widest = max(widest, p.width[0][i], p.width[1][i])
	}
	step := stepOf(farthest)
	return max(minSteps*step, math.Sqrt(step*widest/maxNoise))
}

// pointsFor returns the number of points that a closed line needs if neighbours are at most spacing apart
// (docs/spec/pipeline.md, section 5).
func pointsFor(length, spacing float64) int {
	if !(length > 0) || math.IsInf(length, 1) {
		return 0
	}
	n := int(min(length/spacing, 1<<30)) + 1
	for n > 1 && float64(float64(n-1)*spacing) >= length {
		n--
	}
	return n
}

// maxWidthError is the maximum relative error at the default spacing of the widths of a track, interpolated at the
// points of the circuit.
const maxWidthError = 0.01

// refine reduces the default spacing until the error of the widths is at most maxWidthError, or the spacing is at its
// minimum.
func (p *measuredCircuit) refine(farthest float64) {
	finest := max(finestDefault*p.half, p.leastSpacing(farthest), p.line.Length()/maxPoints)
	for {
		n := pointsFor(p.line.Length(), p.spacing)
		if n < minMeasuredPoints || n > maxPoints {
			return
		}
		wrong := 0.0
		for side := range p.width {
			values := p.line.Interpolate(p.width[side], n, n)
			wrong = max(wrong, p.line.Misfit(p.width[side], values))
		}
		if wrong <= maxWidthError || p.spacing*0.75 < finest {
			return
		}
		p.spacing *= 0.75
	}
}

// sampled is a closed line of places at equal distances on a curve, with the widths of the road there.
type sampled struct {
	place []curve.Place
	width [2][]float64 // to the right and to the left
	step  float64      // arc length between places
}

// sample returns the first n of total places on the curve, with the widths after the cuts.
func (p *measuredCircuit) sample(n, total int) sampled {
	s := sampled{place: p.line.Sample(n, total), step: p.line.Length() / float64(total)}
	for side := range s.width {
		s.width[side] = p.line.Interpolate(p.width[side], n, total)
	}
	s.cut(total, p.cuts)
	return s
}

// widest returns the largest width.
func (s *sampled) widest() float64 {
	widest := 0.0
	for i := range s.place {
		widest = max(widest, s.width[0][i], s.width[1][i])
	}
	return widest
}

// points returns the places as float32.
func (s *sampled) points() []kernel.Vec2 {
	points := make([]kernel.Vec2, len(s.place))
	for i, q := range s.place {
		points[i] = kernel.V2(float32(q.X), float32(q.Y))
	}
	return points
}

// normals returns the unit vectors to the left.
func (s *sampled) normals() []kernel.Vec3 {
	normals := make([]kernel.Vec3, len(s.place))
	for i, q := range s.place {
		normals[i] = kernel.V3(float32(-q.Tangent.Y), float32(q.Tangent.X), 0)
	}
	return normals
}

// widths returns the widths on one side.
func (s *sampled) widths(side int) []float32 {
	widths := make([]float32, len(s.place))
	for i := range widths {
		widths[i] = float32(s.width[side][i])
	}
	return widths
}

// widthAt returns the width on one side at an arc length. The line must cover the whole curve.
func (s *sampled) widthAt(side int, arc float64) float64 {
	n := len(s.place)
	k := min(int(arc/s.step), n-1)
	from, to := s.width[side][k], s.width[side][(k+1)%n]
	return from + float64(min(max(arc/s.step-float64(k), 0), 1)*(to-from))
}

// inner returns the side on the inside of a bend: 1, left, where the curvature is positive.
func inner(curvature float64) int {
	if curvature > 0 {
		return 1
	}
	return 0
}
