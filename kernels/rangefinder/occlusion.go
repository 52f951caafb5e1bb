package rangefinder

import "github.com/trackgen-go/trackgen/kernel"

// turnAngle is a whole turn.
const turnAngle = 6.2831855

// seesBeyond reports whether a beam of a ring from number low to high has a range of at least d.
func (r ring) seesBeyond(low, high, d float32, distance []float32) bool {
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

// isVisible reports whether a beam of a ring may end in a box before what it has met.
func (r ring) isVisible(box kernel.Quat, far float32, turn []kernel.Vec2, distance []float32) bool {
	low := kernel.V2(box.X-r.From.X, box.Y-r.From.Y)
	high := kernel.V2(box.Z-r.From.X, box.W-r.From.Y)
	x := kernel.Max(kernel.Max(low.X, -high.X), 0)
	y := kernel.Max(kernel.Max(low.Y, -high.Y), 0)
	away := float32(x*x) + float32(y*y)
	if away > float32(far*far) {
		return false
	}
	d := kernel.Sqrt(away) - r.Near
	if !(d > 0) {
		return true
	}
	middle := low.Add(high).Scale(0.5)
	size := high.Sub(low)
	part := float32(0.25*size.Dot(size)) / middle.Dot(middle)
	if !(part < 1) {
		return true
	}
	// The arc sine of s is at most s + 0.571 s^3.
	s := kernel.Sqrt(part)
	half := (s + float32(float32(0.571*part)*s) + 2*bearingError) / r.Gap
	at := r.beams(middle, turn)
	if r.seesBeyond(at-half, at+half, d, distance) {
		return true
	}
	// Behind the sensor, where numbers jump by a turn.
	period := kernel.CopySign(turnAngle/r.Gap, float32(0.5*float32(r.N-1))-at)
	return r.seesBeyond(at+period-half, at+period+half, d, distance)
}
