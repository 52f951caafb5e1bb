package rangefinder

import "github.com/trackgen-go/trackgen/kernel"

// turnAngle is a whole turn.
const turnAngle = 6.2831855

// seesBeyond reports whether a beam of a ring from number low to high has a range of at least d.
func seesBeyond(low, high, d float32, r ring, distance []float32) bool {
	if !(high >= 0) {
		return false
	}
	first := kernel.ToInt32(kernel.Max(low+1, 0))
	last := kernel.ToInt32(kernel.Min(high, float32(r.N-1)))
	for k := first; k <= last; k++ {
		if distance[r.At+k] >= d {
			return true
		}
	}
	return false
}

// isVisible reports whether a beam of a ring may end in a box before what it has met. No beam has met anything farther
// than far.
func isVisible(box kernel.Quat, from kernel.Vec2, far float32, r ring, s scale, distance []float32) bool {
	away := squaredTo(from, box)
	if away > float32(far*far) {
		return false
	}
	d := kernel.Sqrt(away) - s.Near
	if !(d > 0) {
		return true
	}
	low := kernel.V2(box.X-from.X, box.Y-from.Y)
	high := kernel.V2(box.Z-from.X, box.W-from.Y)
	middle := low.Add(high).Scale(0.5)
	size := high.Sub(low)
	part := float32(0.25*size.Dot(size)) / middle.Dot(middle)
	if !(part < 1) {
		return true
	}
	// The arc sine of x is at most x + 0.571 x^3.
	x := kernel.Sqrt(part)
	half := float32((x + float32(float32(0.571*part)*x) + 2*bearingError) * s.PerGap)
	at := s.beamOf(middle, r.N)
	if seesBeyond(at-half, at+half, d, r, distance) {
		return true
	}
	// Behind the sensor, where numbers jump by a turn.
	at += kernel.CopySign(float32(turnAngle*s.PerGap), float32(0.5*float32(r.N-1))-at)
	return seesBeyond(at-half, at+half, d, r, distance)
}

// squaredTo returns the squared distance of a point from a box, 0 inside.
func squaredTo(p kernel.Vec2, box kernel.Quat) float32 {
	x := kernel.Max(kernel.Max(box.X-p.X, p.X-box.Z), 0)
	y := kernel.Max(kernel.Max(box.Y-p.Y, p.Y-box.W), 0)
	return float32(x*x) + float32(y*y)
}

// farthest returns the largest range of the beams of a ring. Numbers that are not negative have the order of their
// bits.
func farthest(r ring, distance []float32) float32 {
	far := int32(0)
	for k := r.At; k < r.At+r.N; k++ {
		far = max(far, int32(kernel.Float32Bits(distance[k])))
	}
	return kernel.Float32FromBits(uint32(far))
}

// isHidden reports whether a point in a sector is farther than what the beams beside it have met. Where there is no
// beam, everything is hidden.
func isHidden(p kernel.Vec2, sector int32, r ring, distance []float32) bool {
	far := float32(0)
	if sector < r.N {
		far = distance[r.At+sector]
	}
	next := r.next(sector)
	if next < r.N {
		far = kernel.Max(far, distance[r.At+next])
	}
	return p.Dot(p) > float32(far*far)
}
