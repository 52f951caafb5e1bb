package gate

import (
	"github.com/trackgen-go/trackgen/kernel"
	"github.com/trackgen-go/trackgen/kernels/centerline"
)

// along places the gates of a course on the centre line of a track, at equal arc length from the first point of the
// track on. Their number is the length over spacing, rounded to the nearest; drawn [E] gets it even if it exceeds
// maxGates. One group is one env.
//
// The width of an opening is width or, if that is 0, roadFraction of twice the width of the road to its narrower side;
// with hasWidths 0, which means that the widths are not known, it is 0. It is NaN where a width of the road is
// negative, which no track of this module has. flaws [E] is Road for a track that is not
// valid if needsValid is 1, else 0. A track with an impossible number of points gets no gates.
//
// Rows: center, arclen, widthRight and widthLeft with stride stride; position and opening with stride maxGates.
// position is NaN and opening is 0 from the number of gates on.
//
//kernel:group lanes=32
//kernel:iterations alongIterations(maxGates, stride, lanes)
func along(g kernel.Group, active, trackCount, trackValid []int32, stride int32, center []kernel.Vec3,
	arclen, length []float32, hasWidths int32, widthRight, widthLeft []float32,
	maxGates int32, spacing, width, roadFraction float32, needsValid int32,
	drawn, flaws []int32, position []kernel.Vec3, opening []float32) {
	if g.ID >= active[0] {
		return
	}
	env := active[g.ID+1]
	base := env * stride
	points := trackCount[env]
	gates := int32(0)
	if points > 0 && points <= stride {
		gates = wholeGates(length[env] / spacing)
	}
	for range g.Each(1) {
		drawn[env] = gates
		flaws[env] = 0
		if needsValid == 1 && trackValid[env] != 1 {
			flaws[env] = Road
		}
	}
	for i := range g.Each(maxGates) {
		at := kernel.V3(kernel.NaN(), kernel.NaN(), kernel.NaN())
		wide := float32(0)
		if i < gates {
			place := float32(float32(i)*length[env]) / float32(gates)
			k := lastBefore(points, base, arclen, place)
			next := base + centerline.After(k, points)
			start := arclen[base+k]
			end := length[env]
			if k+1 < points {
				end = arclen[base+k+1]
			}
			t := kernel.Clamp((place-start)/kernel.Max(end-start, minStep), 0, 1)
			p := center[base+k]
			at = p.Add(center[next].Sub(p).Scale(t))
			wide = width
			if width == 0 && hasWidths == 1 {
				right := between(widthRight[base+k], widthRight[next], t)
				left := between(widthLeft[base+k], widthLeft[next], t)
				wide = float32(float32(2*roadFraction) * kernel.Min(right, left))
				if kernel.Min(right, left) < 0 {
					wide = kernel.NaN() // the posts would change sides
				}
			}
		}
		position[env*maxGates+i] = at
		opening[env*maxGates+i] = wide
	}
}

const (
	minStep = 1e-12 // keeps the division by the length of a segment finite

	// mostAlong bounds the number of gates along a track, so that it fits an int32. It is far above all numbers that a
	// course has room for.
	mostAlong = 1 << 24
)

// wholeGates returns a number of gates as a whole number: the nearest one, the upper one of two equally near. It is 0
// for a number below 0 or NaN.
func wholeGates(number float32) int32 {
	if !(number >= 0) {
		return 0
	}
	return kernel.ToInt32(kernel.Floor(kernel.Min(number, mostAlong) + 0.5))
}

// lastBefore returns the last of n points, n >= 1, whose arc length is at most target; the first point if there is
// none.
func lastBefore(n, base int32, arclen []float32, target float32) int32 {
	lo := int32(0)
	hi := n - 1
	for lo < hi {
		middle := (lo + hi + 1) / 2
		if arclen[base+middle] <= target {
			lo = middle
		} else {
			hi = middle - 1
		}
	}
	return lo
}

// between returns the number at the fraction t of the way from a to b.
func between(a, b, t float32) float32 { return a + float32((b-a)*t) }
