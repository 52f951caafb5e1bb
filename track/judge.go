package track

import (
	"math"
	"slices"

	"github.com/trackgen-go/trackgen/internal/curve"
	"github.com/trackgen-go/trackgen/kernel"
	"github.com/trackgen-go/trackgen/kernels/measured"
)

// Bounds of the number of places at which the road of a circuit is tested.
const (
	fewestJudged = 64
	mostJudged   = 1 << 13
)

// trimmed is the fraction of the available room that the road takes after TrimInner. The tests allow a little more.
const trimmed = 0.95

// cut is a limit for the width on one side at an arc length.
type cut struct {
	arc   float64
	side  int
	width float64
}

// cut applies limits to the widths. Both neighbours of a cut obey it, so that values interpolated between them do too.
// total is the number of places on the whole curve.
func (s *sampled) cut(total int, cuts []cut) {
	for _, c := range cuts {
		k := min(int(c.arc/s.step), total-1)
		for _, i := range [...]int{k, (k + 1) % total} {
			if i < len(s.place) {
				s.width[c.side][i] = min(s.width[c.side][i], c.width)
			}
		}
	}
}

// judge samples the line that the tests use. If trim is true, it also makes the cuts.
func (p *measuredCircuit) judge(trim bool) {
	n := min(max(pointsFor(p.line.Length(), judging*p.narrow), fewestJudged), mostJudged)
	p.judged = p.sample(n, n)
	if !trim {
		return
	}
	p.line.Scan(func(q curve.Place) {
		side := inner(q.Curvature)
		if room := trimmed / math.Abs(q.Curvature); p.judged.widthAt(side, q.Arc) > room {
			p.cuts = append(p.cuts, cut{q.Arc, side, room})
		}
	})
	p.judged.cut(n, p.cuts)
	left := [2][]float64{slices.Repeat([]float64{1}, n), slices.Repeat([]float64{1}, n)} // fractions of the widths
	p.meetings(func(m measured.Meeting) {
		part := trimmed * float64(m.Squared) / float64(m.Here+m.There)
		if !(part > 0 && part < 1) { // the widths do not cause the overlap
			return
		}
		for _, pair := range [...][2]int32{{m.I, m.J}, {m.J, m.I}} {
			from, to := p.judged.place[pair[0]], p.judged.place[pair[1]]
			side := inner(from.Tangent.Cross(to.Sub(from.Vector)))
			left[side][pair[0]] = min(left[side][pair[0]], part)
		}
	})
	first := len(p.cuts)
	for i, q := range p.judged.place {
		for side := range left {
			if part := left[side][i]; part < 1 {
				p.cuts = append(p.cuts, cut{q.Arc, side, p.judged.width[side][i] * part})
			}
		}
	}
	p.judged.cut(n, p.cuts[first:])
}

// gridPoints returns the places on a grid with the step of the largest coordinate. Points of a crossing that are equal
// up to rounding become equal; only then are the signs in the test for crossings consistent.
func (s *sampled) gridPoints() []kernel.Vec2 {
	farthest := 0.0
	for _, q := range s.place {
		farthest = max(farthest, math.Abs(q.X), math.Abs(q.Y))
	}
	step := stepOf(farthest)
	points := make([]kernel.Vec2, len(s.place))
	for i, q := range s.place {
		points[i] = kernel.V2(float32(math.Round(q.X/step)*step), float32(math.Round(q.Y/step)*step))
	}
	return points
}

// meetings finds the places of the tested line at which the road meets itself.
func (p *measuredCircuit) meetings(visit func(measured.Meeting)) (flat []int32) {
	return measured.Line{
		Loop: p.judged.gridPoints(), Normal: p.judged.normals(), Right: p.judged.widths(0), Left: p.judged.widths(1),
		Length: float32(p.line.Length()), Tight: float32(tolerance()), Window: p.window(), Allowed: p.allowed,
	}.Meetings(visit)
}

// window returns the arc length on either side of a bridge within which the road may overlap itself.
func (p *measuredCircuit) window() float32 {
	widest := 0.0
	for i := range p.judged.place {
		widest = max(widest, p.judged.width[0][i]+p.judged.width[1][i])
	}
	return float32(2 * widest)
}

// bends returns, for each tested place, the largest ratio of the inner width to the radius of the bend, up to half way
// to its neighbours.
func (p *measuredCircuit) bends() []float32 {
	n := len(p.judged.place)
	bent := make([]float32, n)
	p.line.Scan(func(q curve.Place) {
		k := int(q.Arc/p.judged.step+0.5) % n
		part := float64(p.judged.widthAt(inner(q.Curvature), q.Arc) * math.Abs(q.Curvature))
		bent[k] = max(bent[k], float32(min(part, math.MaxFloat32)))
	})
	return bent
}
