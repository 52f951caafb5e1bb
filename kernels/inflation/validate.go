package inflation

import (
	"github.com/trackgen-go/trackgen/kernel"
	"github.com/trackgen-go/trackgen/kernels/centerline"
	"github.com/trackgen-go/trackgen/kernels/relaxation"
	"github.com/trackgen-go/trackgen/kernels/variation"
)

// The tests that a track can fail, as bits of reason. Package track publishes them under the same values.
const (
	ReasonEmpty = 1 << iota
	ReasonTruncated
	ReasonTurning
	ReasonNotFinite
	ReasonWidth
	ReasonCurvature
	ReasonSeparation
	ReasonBorderCrossing
	ReasonGrade
)

const (
	twoPi      = 6.283185307179586
	minProduct = 1e-12         // floor of the product of a triangle's sides
	farApart   = float32(1e30) // squared distance where there is no pair to measure
)

// Curvature returns the Menger curvature of the circle through three points.
func Curvature(a, b, c kernel.Vec2) float32 {
	ab := b.Sub(a)
	ac := c.Sub(a)
	product := float32(float32(ab.Len()*c.Sub(b).Len()) * ac.Len())
	return float32(2*kernel.Abs(ab.Cross(ac))) / kernel.Max(product, minProduct)
}

// NoPoints returns the reason of a track without points: its line has no length, or it is not finite. Then space found
// that it needs a number of points other than 0, and even took them away.
func NoPoints(needed int32) int32 {
	if needed != 0 {
		return ReasonNotFinite
	}
	return ReasonEmpty
}

// borderPoint returns the point i of the outer or the inner border, in the plane.
func borderPoint(i int32, border []kernel.Vec3) kernel.Vec2 {
	return kernel.V2(border[i].X, border[i].Y)
}

// borderCrossings counts how often edge i of the outer border crosses a later edge of it or any edge of the inner
// border, and edge i of the inner border a later edge of it.
func borderCrossings(i, n, base int32, outer, inner []kernel.Vec3) int32 {
	after := centerline.After(i, n)
	outerA := borderPoint(base+i, outer)
	outerB := borderPoint(base+after, outer)
	innerA := borderPoint(base+i, inner)
	innerB := borderPoint(base+after, inner)
	crossings := int32(0)
	for j := int32(0); j < n; j++ {
		next := centerline.After(j, n)
		outerP := borderPoint(base+j, outer)
		outerQ := borderPoint(base+next, outer)
		innerP := borderPoint(base+j, inner)
		innerQ := borderPoint(base+next, inner)
		if centerline.SegmentsCross(outerA, outerB, innerP, innerQ) {
			crossings++
		}
		if j <= i+1 || (i == 0 && j == n-1) {
			continue
		}
		if centerline.SegmentsCross(outerA, outerB, outerP, outerQ) {
			crossings++
		}
		if centerline.SegmentsCross(innerA, innerB, innerP, innerQ) {
			crossings++
		}
	}
	return crossings
}

// validate tests every track (docs/spec/pipeline.md, section 8): reason gets one bit for each test that fails, valid 1
// where none does. Near points along the loop are told from far ones by the road width over the mean spacing, even if
// the relaxation was given a band: a test has to mean the same with every band. size has the lengths of the road (see
// package variation): with perEnv 1 for each env, else for all. With hills 1, steep [E] is 1 for a road that climbs
// more than it may. length is that in plan view. One group is one env. Scratch rows with stride
// maxPoints: turn, bent, gap and crossed, the last with checkBorders != 0 alone.
//
//kernel:group lanes=128
//kernel:iterations validateIterations(maxPoints, checkBorders, lanes)
func validate(g kernel.Group, active []int32, maxPoints, perEnv int32, size []float32,
	minHalfWidth, turningTolerance float32, checkBorders, hills int32, steep []int32,
	loop []kernel.Vec2, outer, inner []kernel.Vec3, length []float32, count, needed []int32,
	turn, bent, gap []float32, crossed, reason, valid []int32) {
	if g.ID >= active[0] {
		return
	}
	env := active[g.ID+1]
	base := env * maxPoints
	n := count[env]
	halfWidth := size[env*perEnv*variation.Lengths+variation.HalfWidth]
	thickness := size[env*perEnv*variation.Lengths+variation.Thickness]
	skip := relaxation.Band(0, halfWidth, length[env]/kernel.Max(float32(n), 1))
	for i := range g.Each(n) {
		before := centerline.Before(i, n)
		after := centerline.After(i, n)
		p := loop[base+i]
		left := loop[base+before]
		right := loop[base+after]
		in := p.Sub(left)
		out := right.Sub(p)
		turn[base+i] = kernel.Atan2(in.Cross(out), in.Dot(out))
		bent[base+i] = Curvature(left, p, right)
		// Each pair is measured from its lower index; those within skip steps the other way round are excluded too.
		last := i + n - skip - 1
		if last > n-1 {
			last = n - 1
		}
		nearest := farApart
		for j := i + skip + 1; j <= last; j++ {
			d := p.Sub(loop[base+j])
			nearest = kernel.Min(nearest, d.Dot(d))
		}
		gap[base+i] = nearest
		if checkBorders != 0 {
			crossed[base+i] = borderCrossings(i, n, base, outer, inner)
		}
	}

	var turning kernel.TwoFloat
	sharpest := float32(0)
	nearest := farApart
	borders := int32(0)
	for i := int32(0); i < n; i++ {
		turning = turning.Add(turn[base+i])
		sharpest = kernel.Max(sharpest, bent[base+i])
		nearest = kernel.Min(nearest, gap[base+i])
		if checkBorders != 0 {
			borders += crossed[base+i]
		}
	}
	for range g.Each(1) {
		failed := int32(0)
		if n <= 0 {
			failed = NoPoints(needed[env])
		} else {
			if needed[env] > maxPoints {
				failed |= ReasonTruncated
			}
			// Written so that a NaN fails.
			if !(kernel.Abs(kernel.Abs(turning.Float32())-twoPi) <= turningTolerance) {
				failed |= ReasonTurning
			}
			if !(halfWidth > minHalfWidth) {
				failed |= ReasonWidth
			}
			if !(float32(sharpest*thickness) <= 1) {
				failed |= ReasonCurvature
			}
			if !(float32(0.5*kernel.Sqrt(nearest)) >= thickness) {
				failed |= ReasonSeparation
			}
			if borders > 0 {
				failed |= ReasonBorderCrossing
			}
			if steep[env*hills] != 0 {
				failed |= ReasonGrade
			}
		}
		reason[env] = failed
		if failed == 0 {
			valid[env] = 1
		} else {
			valid[env] = 0
		}
	}
}
