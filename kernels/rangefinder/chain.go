package rangefinder

import (
	"github.com/trackgen-go/trackgen/kernel"
	"github.com/trackgen-go/trackgen/kernels/polyline"
)

// around lets all beams of a ring end at the segment from a to b, of which nothing is known, and returns the sector of
// p, the way from the sensor to one of its ends.
func around(p, a, b kernel.Vec2, met int32, e eye, r ring, turn []kernel.Vec2, distance []float32, hit []int32) int32 {
	sector := int32(0)
	right := e.way(turn[r.First])
	for k := int32(0); k < r.N+Dark; k++ {
		left := e.way(turn[r.First+k+1])
		if isBetween(p, right, left) {
			sector = k
		}
		if k < r.N {
			beam := Ray{From: e.From, Way: right, Reach: distance[r.At+k], Hit: hit[r.At+k]}
			beam = meet(beam, a, b, right.Cross(a.Sub(e.From)), right.Cross(b.Sub(e.From)), met)
			distance[r.At+k] = beam.Reach
			hit[r.At+k] = beam.Hit
		}
		right = left
	}
	return sector
}

// endAt lets the beam on the right of a sector, if there is one, end at a point that it goes through.
func endAt(p, right kernel.Vec2, sector, met int32, e eye, r ring, distance []float32, hit []int32) {
	if sector < r.N {
		beam := Ray{From: e.From, Way: right, Reach: distance[r.At+sector], Hit: hit[r.At+sector]}
		beam = nearer(beam, right.Dot(p), met)
		distance[r.At+sector] = beam.Reach
		hit[r.At+sector] = beam.Hit
	}
}

// isApart reports whether the segment from q to p is farther from the sensor than near.
func isApart(q, p kernel.Vec2, near float32) bool {
	least := float32(near * near)
	side := q.Cross(p)
	d := p.Sub(q)
	return q.Dot(q) > least && p.Dot(p) > least && (q.Dot(p) > 0 || float32(side*side) > float32(least*d.Dot(d)))
}

// follow goes along a border from point i, which is in a sector, over n segments, forwards with step 1 and backwards
// with step -1. Beams that it passes end at the segments. It returns the sector of the last point.
func follow(sector, i, n, step, met int32, near float32, l polyline.Line, e eye, r ring, turn []kernel.Vec2,
	index []kernel.Quat, distance []float32, hit []int32) int32 {
	q := polyline.Plan(index[l.Base+i]).Sub(e.From)
	right := e.way(turn[r.First+sector])
	left := e.way(turn[r.First+sector+1])
	sound := isApart(q, q, near)
	if right.Cross(q) == 0 {
		endAt(q, right, sector, met, e, r, distance, hit)
	}
	for end := i + n*step; i != end; {
		i += step
		p := polyline.Plan(index[l.Base+i]).Sub(e.From)
		u := right.Cross(p)
		v := left.Cross(p)
		if u > near && v < -near && sound {
			q = p // in the same sector as the point before
			continue
		}
		a := polyline.Plan(index[l.Base+min(i, i-step)])
		b := polyline.Plan(index[l.Base+max(i, i-step)])
		if !isApart(q, p, near) {
			sector = around(p, a, b, met, e, r, turn, distance, hit)
			right = e.way(turn[r.First+sector])
			left = e.way(turn[r.First+sector+1])
			sound = isApart(p, p, near)
			q = p
			continue
		}
		up := v >= 0
		if q.Dot(p) <= 0 { // so wide that p may be on the left of the next beam either way
			up = q.Cross(p) > 0
		}
		for k := int32(0); k < r.N+Dark && ((up && v >= 0) || (!up && u < 0)); k++ {
			passed := sector
			way := right
			if up {
				sector = r.next(sector)
				passed = sector
				way = left
				right = left
				left = e.way(turn[r.First+sector+1])
				v = left.Cross(p)
			} else {
				sector = r.previous(sector)
				left = right
				right = e.way(turn[r.First+sector])
				u = right.Cross(p)
			}
			if passed < r.N {
				beam := Ray{From: e.From, Way: way, Reach: distance[r.At+passed], Hit: hit[r.At+passed]}
				beam = meet(beam, a, b, way.Cross(a.Sub(e.From)), way.Cross(b.Sub(e.From)), met)
				distance[r.At+passed] = beam.Reach
				hit[r.At+passed] = beam.Hit
			}
		}
		if right.Cross(p) == 0 {
			endAt(p, right, sector, met, e, r, distance, hit)
		}
		q = p
	}
	return sector
}
