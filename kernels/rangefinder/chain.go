package rangefinder

import (
	"github.com/trackgen-go/trackgen/kernel"
	"github.com/trackgen-go/trackgen/kernels/polyline"
)

// ray returns beam k of a ring, in the direction way.
func (r ring) ray(way kernel.Vec2, k int32, distance []float32, hit []int32) Ray {
	return Ray{From: r.From, Way: way, Reach: distance[r.At+k], Hit: hit[r.At+k]}
}

// around lets all beams of a ring end at a segment of which nothing is known, and returns the spot of p, one of its ends.
func (r ring) around(p, a, e kernel.Vec2, met int32, turn []kernel.Vec2, distance []float32, hit []int32) spot {
	s := spot{P: p, Sector: 0, Right: kernel.V2(0, 0), Left: kernel.V2(0, 0)}
	right := r.way(0, turn)
	for k := int32(0); k < r.size(); k++ {
		left := r.way(k+1, turn)
		if isBetween(p, right, left) {
			s = spot{P: p, Sector: k, Right: right, Left: left}
		}
		if k < r.N {
			b := r.ray(right, k, distance, hit)
			b = meet(b, a, e, right.Cross(a.Sub(r.From)), right.Cross(e.Sub(r.From)), met)
			distance[r.At+k] = b.Reach
			hit[r.At+k] = b.Hit
		}
		right = left
	}
	return r.trusted(s)
}

// trusted returns a spot, without directions if the point is as near to the sensor as rounding reaches. Then follow
// takes the next segment to around, too.
func (r ring) trusted(s spot) spot {
	if !(s.P.Dot(s.P) > float32(r.Near*r.Near)) {
		s.Right = kernel.V2(0, 0)
		s.Left = s.Right
	}
	return s
}

// isApart reports whether the segment from q to p is farther from the sensor than rounding reaches.
func (r ring) isApart(q, p kernel.Vec2) bool {
	least := float32(r.Near * r.Near)
	side := q.Cross(p)
	d := p.Sub(q)
	return q.Dot(q) > least && p.Dot(p) > least && (q.Dot(p) > 0 || float32(side*side) > float32(least*d.Dot(d)))
}

// follow goes along a border from point i, where the spot is, over n segments, forwards with step 1 and backwards with
// step -1, and lets the beams end that it passes. It returns the spot of the last point.
func (r ring) follow(s spot, i, n, step, met int32, l polyline.Line, turn []kernel.Vec2, index []kernel.Quat,
	distance []float32, hit []int32) spot {
	s = r.trusted(s)
	for end := i + n*step; i != end; {
		i += step
		p := polyline.Plan(index[l.Base+i]).Sub(r.From)
		right := s.Right.Cross(p)
		left := s.Left.Cross(p)
		if right > r.Near && left < -r.Near {
			s.P = p // in the same sector as the point before
			continue
		}
		a := polyline.Plan(index[l.Base+min(i, i-step)])
		e := polyline.Plan(index[l.Base+max(i, i-step)])
		if !r.isApart(s.P, p) {
			s = r.around(p, a, e, met, turn, distance, hit)
			continue
		}
		up := left >= 0
		if s.P.Dot(p) <= 0 { // so wide that a beam may be on the left of it on either way
			up = s.P.Cross(p) > 0
		}
		for k := int32(0); k < r.size() && ((up && left >= 0) || (!up && right < 0)); k++ {
			passed := s.Sector
			way := s.Right
			if up {
				s.Sector = r.next(s.Sector)
				s.Right = s.Left
				s.Left = r.way(s.Sector+1, turn)
				passed = s.Sector
				way = s.Right
				left = s.Left.Cross(p)
			} else {
				s.Sector = r.previous(s.Sector)
				s.Left = s.Right
				s.Right = r.way(s.Sector, turn)
				right = s.Right.Cross(p)
			}
			if passed < r.N {
				b := r.ray(way, passed, distance, hit)
				b = meet(b, a, e, way.Cross(a.Sub(r.From)), way.Cross(e.Sub(r.From)), met)
				distance[r.At+passed] = b.Reach
				hit[r.At+passed] = b.Hit
			}
		}
		if s.Sector < r.N && s.Right.Cross(p) == 0 { // a beam through the point
			b := nearer(r.ray(s.Right, s.Sector, distance, hit), s.Right.Dot(p), met)
			distance[r.At+s.Sector] = b.Reach
			hit[r.At+s.Sector] = b.Hit
		}
		s.P = p
	}
	return s
}
