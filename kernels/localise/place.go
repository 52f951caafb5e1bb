package localise

import (
	"github.com/trackgen-go/trackgen/kernel"
	"github.com/trackgen-go/trackgen/kernels/polyline"
	"github.com/trackgen-go/trackgen/kernels/vector"
)

// minStep is the arc length of a segment up to which a place is at its begin (C-83).
const minStep = 1e-12

// place puts agents on the lines: at the arc length s, n to the right and up above it, level and looking along the line
// (C-83). With masked 1 it leaves the agents of envs whose mask is 0. An agent of a line of fewer than 3 points, or at
// an arc length that is not finite, becomes NaN.
//
// All arrays but mask and index are [E, agents]. One item is one agent.
//
//kernel:thread
//kernel:iterations placeIterations(maxPoints)
func place(i, agents, maxPoints, masked int32, s, n, up []float32, mask []int32, index []kernel.Quat,
	position []kernel.Vec3, orientation []kernel.Quat) {
	env := i / agents
	if masked == 1 && mask[env] == 0 {
		return
	}
	l := polyline.LineOf(env, 0, 1, maxPoints, index)
	p := kernel.V3(kernel.NaN(), kernel.NaN(), kernel.NaN())
	q := kernel.Quat{X: p.X, Y: p.X, Z: p.X, W: p.X}
	if l.N >= leastPoints && kernel.IsFinite(s[i]) {
		at := Wrapped(s[i], index[l.Base+l.N].W)
		segment := segmentAt(at, l, index)
		from := index[l.Base+segment]
		to := index[l.Base+segment+1]
		part := float32(0)
		if to.W-from.W > minStep {
			part = kernel.Clamp((at-from.W)/(to.W-from.W), 0, 1)
		}
		way := polyline.Space(to).Sub(polyline.Space(from))
		right, above := Axes(way)
		p = polyline.Space(from).Add(way.Scale(part)).Add(right.Scale(n[i])).Add(above.Scale(up[i]))
		p = vector.OneNaN3(p)
		q = HeadingOf(way)
	}
	position[i] = p
	orientation[i] = q
}

// Wrapped returns the arc length from 0 to length, excluded, at the same point of a closed line.
func Wrapped(s, length float32) float32 {
	at := s - float32(kernel.Floor(s/length)*length)
	if at < 0 {
		at += length
	}
	if !(at < length) { // by rounding, or for a line without a length
		at = 0
	}
	return at
}

// segmentAt returns the last segment that begins at an arc length of at most s, the first one if there is none.
func segmentAt(s float32, l polyline.Line, index []kernel.Quat) int32 {
	low := int32(0)
	high := l.N - 1
	for low < high {
		middle := (low + high + 1) / 2
		if index[l.Base+middle].W <= s {
			low = middle
		} else {
			high = middle - 1
		}
	}
	return low
}

// HeadingOf returns the rotation about z that turns x to the direction of a way in plan view; none for a vertical way.
func HeadingOf(way kernel.Vec3) kernel.Quat {
	length := kernel.V2(way.X, way.Y).Len()
	if !(length >= minLength) {
		return kernel.Quat{X: 0, Y: 0, Z: 0, W: 1}
	}
	c := way.X / length
	s := way.Y / length
	if c >= 0 {
		w := kernel.Sqrt(float32(0.5 * (1 + c)))
		return kernel.Quat{X: 0, Y: 0, Z: s / float32(2*w), W: w}
	}
	z := kernel.CopySign(kernel.Sqrt(float32(0.5*(1-c))), s)
	return kernel.Quat{X: 0, Y: 0, Z: z, W: s / float32(2*z)}
}
