package rangefinder

import "github.com/trackgen-go/trackgen/kernel"

// Dark is the number of directions without a beam that the ring of a run has besides its beams: they divide the rest of
// the turn, so that all sectors are narrow.
const Dark = 4

// RingSize returns how many elements the ring of a run has: its beams and the dark directions, in order around the
// sensor, the first direction again, and the middle of the beams.
func RingSize(run int32) int32 { return run + Dark + 2 }

// eye is a sensor in plan view: where it is, and its axes. On the CPU, a structure of up to four fields stays in
// registers, so what a search needs is in several.
type eye struct{ From, Forward, Left kernel.Vec2 }

// way returns a direction in the world, of which t is the cosine and sine.
func (e eye) way(t kernel.Vec2) kernel.Vec2 { return e.Forward.Scale(t.X).Add(e.Left.Scale(t.Y)) }

// ring is a run of beams and dark directions around a sensor. Its sectors are between successive directions, narrower
// than a quarter of a turn, and wider than rounding reaches.
type ring struct {
	First int32 // element of the table of directions of the first beam
	N     int32 // beams
	At    int32 // element of the ranges of the first beam
}

// next returns the direction after k.
func (r ring) next(k int32) int32 {
	k++
	if k == r.N+Dark {
		k = 0
	}
	return k
}

// previous returns the direction before k.
func (r ring) previous(k int32) int32 {
	if k == 0 {
		k = r.N + Dark
	}
	return k - 1
}

// scale says where beams are, and how exact numbers are.
type scale struct {
	Middle kernel.Vec2 // direction
	PerGap float32     // 1 over the angle between two beams
	Near   float32     // distance from the sensor, or from a beam, below which rounding may decide
}

// beamOf returns where p is among n beams: 0 for the first, 1 for the second. It is off by at most bearingError times
// PerGap. What is behind the beams has a number below 0 or above n-1.
func (s scale) beamOf(p kernel.Vec2, n int32) float32 {
	return float32(bearing(kernel.V2(s.Middle.Dot(p), s.Middle.Cross(p)))*s.PerGap) + float32(0.5*float32(n-1))
}

// isBetween reports whether p is on the left of one direction, or on it, and on the right of another.
func isBetween(p, right, left kernel.Vec2) bool { return right.Cross(p) >= 0 && left.Cross(p) < 0 }

// sectorOf returns the sector of a point: it is between that direction and the next. If the point is not far from the
// sensor, it may be any.
func sectorOf(p kernel.Vec2, e eye, r ring, s scale, turn []kernel.Vec2) int32 {
	k := s.beamOf(p, r.N)
	among := k >= -0.5 && k <= float32(r.N)-0.5
	sector := r.N - 1
	if among {
		sector = min(max(kernel.ToInt32(k), 0), r.N-1)
	}
	for n := int32(0); n < r.N+Dark; n++ {
		right := e.way(turn[r.First+sector])
		if isBetween(p, right, e.way(turn[r.First+sector+1])) {
			break
		}
		if among && right.Cross(p) < 0 {
			sector = r.previous(sector)
		} else {
			sector = r.next(sector)
		}
	}
	return sector
}
