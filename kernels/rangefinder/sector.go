package rangefinder

import "github.com/trackgen-go/trackgen/kernel"

// Dark is the number of directions without a beam that the ring of a run has besides its beams: they divide the rest of
// the turn, so that all sectors are narrow.
const Dark = 4

// RingSize returns how many elements the ring of a run has: its beams, the dark directions, the first direction again, and
// the middle of the beams.
func RingSize(run int32) int32 { return run + Dark + 2 }

// ring is a run of beams of a sensor in plan view. The beams and the dark directions are in order around the sensor. Its
// sectors are between successive ones, narrower than a quarter of a turn, and wider than rounding reaches.
type ring struct {
	From, Forward, Left kernel.Vec2
	First               int32 // element of the table of directions of the first beam
	N                   int32 // beams
	At                  int32 // element of the ranges of the first beam
	Gap                 float32
	Near                float32 // distance from the sensor, or from a beam, below which rounding may decide
}

// way returns direction k.
func (r ring) way(k int32, turn []kernel.Vec2) kernel.Vec2 {
	t := turn[r.First+k]
	return r.Forward.Scale(t.X).Add(r.Left.Scale(t.Y))
}

// size returns the number of sectors.
func (r ring) size() int32 { return r.N + Dark }

// next returns the direction after k.
func (r ring) next(k int32) int32 {
	k++
	if k == r.size() {
		k = 0
	}
	return k
}

// previous returns the direction before k.
func (r ring) previous(k int32) int32 {
	if k == 0 {
		k = r.size()
	}
	return k - 1
}

// beams returns where p is among the beams: 0 for the first, 1 for the second. It is off by at most bearingError/Gap.
// What is behind the beams has a number below 0 or above N-1; a turn is period.
func (r ring) beams(p kernel.Vec2, turn []kernel.Vec2) float32 {
	middle := r.way(r.size()+1, turn)
	return bearing(kernel.V2(middle.Dot(p), middle.Cross(p)))/r.Gap + float32(0.5*float32(r.N-1))
}

// spot is a point as the sensor sees it.
type spot struct {
	P           kernel.Vec2 // way from the sensor
	Sector      int32       // P is on the left of direction Sector, or on it, and on the right of the next one
	Right, Left kernel.Vec2 // the two directions
}

// isBetween reports whether p is on the left of one direction, or on it, and on the right of another.
func isBetween(p, right, left kernel.Vec2) bool { return right.Cross(p) >= 0 && left.Cross(p) < 0 }

// at returns a spot with a given sector.
func (r ring) at(p kernel.Vec2, sector int32, turn []kernel.Vec2) spot {
	return spot{P: p, Sector: sector, Right: r.way(sector, turn), Left: r.way(sector+1, turn)}
}

// locate returns the spot of a point. If it is not far from the sensor, the sector may be any.
func (r ring) locate(p kernel.Vec2, turn []kernel.Vec2) spot {
	k := r.beams(p, turn)
	among := k >= -0.5 && k <= float32(r.N)-0.5
	sector := r.N - 1
	if among {
		sector = min(max(kernel.ToInt32(k), 0), r.N-1)
	}
	s := r.at(p, sector, turn)
	for n := int32(0); n < r.size() && !isBetween(p, s.Right, s.Left); n++ {
		if among && s.Right.Cross(p) < 0 {
			sector = r.previous(sector)
		} else {
			sector = r.next(sector)
		}
		s = r.at(p, sector, turn)
	}
	return s
}
