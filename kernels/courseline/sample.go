package courseline

import (
	"github.com/trackgen-go/trackgen/kernel"
	"github.com/trackgen-go/trackgen/kernels/centerline"
	"github.com/trackgen-go/trackgen/kernels/vector"
)

const (
	// leastGates is the smallest number of gates with a line through them.
	leastGates = 3

	// minLength is the length up to which a vector has no direction (C-13).
	minLength = 1e-12
)

// sample draws the closed line through the gates of each course: a Catmull-Rom spline with samples points per gate, of
// which the first is in the middle of the gate (C-40), and its tangents, arc lengths and length in space (C-41). A
// course that is not valid, or has fewer than 3 gates, has no line: count, valid and length are 0, and all points are
// NaN.
//
// One group is one env. position has the stride maxGates; center, tangent and arclen have the stride maxGates*samples,
// and are NaN from count on.
//
//kernel:group lanes=64
//kernel:iterations sampleIterations(maxGates, samples, lanes)
func sample(g kernel.Group, active []int32, maxGates, samples int32,
	position []kernel.Vec3, gateCount, gateValid []int32,
	center, tangent []kernel.Vec3, arclen, length []float32, count, valid []int32) {
	if g.ID >= active[0] {
		return
	}
	env := active[g.ID+1]
	stride := maxGates * samples
	base := env * stride
	gates := min(gateCount[env], maxGates)
	if gates < leastGates || gateValid[env] == 0 {
		gates = 0
	}
	n := gates * samples
	for j := range g.Each(stride) {
		p := nothing()
		if j < n {
			p = vector.OneNaN3(pointAt(j/samples, gates, env*maxGates, position, float32(j%samples)/float32(samples)))
		}
		center[base+j] = p
	}
	for j := range g.Each(stride) {
		direction := nothing()
		chord := kernel.NaN()
		if j < n {
			next := center[base+centerline.After(j, n)]
			direction = vector.OneNaN3(unit(next.Sub(center[base+centerline.Before(j, n)])))
			chord = next.Sub(center[base+j]).Len()
		}
		tangent[base+j] = direction
		arclen[base+j] = chord // becomes the arc length below, when all chords are known
	}
	for range g.Each(1) {
		sum := float32(0)
		for j := int32(0); j < n; j++ {
			chord := arclen[base+j]
			arclen[base+j] = sum
			sum += chord
			if kernel.IsNaN(sum) {
				sum = kernel.NaN() // the bits of a NaN that was computed depend on the device
			}
		}
		length[env] = sum
		count[env] = n
		valid[env] = min(n, 1)
	}
}

// pointAt returns the point of the spline at the part u of the way from gate i to the next one.
func pointAt(i, gates, base int32, position []kernel.Vec3, u float32) kernel.Vec3 {
	next := centerline.After(i, gates)
	p0 := position[base+centerline.Before(i, gates)]
	p1 := position[base+i]
	p2 := position[base+next]
	p3 := position[base+centerline.After(next, gates)]
	u2 := float32(u * u)
	linear := p2.Sub(p0).Scale(u)
	square := p0.Scale(2).Sub(p1.Scale(5)).Add(p2.Scale(4)).Sub(p3).Scale(u2)
	cube := p1.Scale(3).Sub(p0).Sub(p2.Scale(3)).Add(p3).Scale(float32(u2 * u))
	return p1.Scale(2).Add(linear).Add(square).Add(cube).Scale(0.5)
}

// unit returns v divided by its length, or 0 for a vector without a direction.
func unit(v kernel.Vec3) kernel.Vec3 {
	length := v.Len()
	if !(length > minLength) {
		return kernel.V3(0, 0, 0)
	}
	return kernel.V3(v.X/length, v.Y/length, v.Z/length)
}

// nothing is the point of an unused element.
func nothing() kernel.Vec3 { return kernel.V3(kernel.NaN(), kernel.NaN(), kernel.NaN()) }
