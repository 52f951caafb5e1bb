package raceline

import (
	"github.com/trackgen-go/trackgen/kernel"
	"github.com/trackgen-go/trackgen/kernels/centerline"
	"github.com/trackgen-go/trackgen/kernels/speed"
	"github.com/trackgen-go/trackgen/kernels/vector"
)

const (
	// minChord keeps the division by the length of a chord finite.
	minChord = 1e-9

	// parts is how many items share a sum or a maximum over the points.
	parts = 64

	// leastRange is the smallest range of a point, as a part of the width of the road (L-71).
	leastRange = 0.02
)

// optimise finds the racing lines of the active envs: for each point of the centreline, the offset along its normal, to
// the left, of the line with the least sum of squared curvature times length within the road (L-70 to L-76). clearance
// is what stays free between the line and each border.
//
// One group is one env. All arrays but count have the stride maxPoints. offset is NaN from count on, and in the whole
// row of a road of fewer than 3 points. bound, slack, pivot, right, next and before are scratch. kernelgen cannot prove
// that it has no races, because the phases of a cyclic reduction read points of one parity and write those of the
// other.
//
//kernel:group lanes=64
//kernel:unproven
//kernel:iterations optimiseIterations(maxPoints, rounds, lanes)
func optimise(g kernel.Group, active []int32, maxPoints, rounds int32, clearance float32,
	center, normal []kernel.Vec3, widthRight, widthLeft []float32, count []int32,
	bound []kernel.Vec2, slack, pivot []kernel.Quat, right []kernel.Vec2, next, before []kernel.Quat,
	offset []float32) {
	var first [parts]float32
	var second [parts]float32
	if g.ID >= active[0] {
		return
	}
	env := active[g.ID+1]
	base := env * maxPoints
	n := speed.PointsOf(count[env], maxPoints)

	for i := range g.Each(n) {
		bound[base+i] = boundsOf(widthRight[base+i], widthLeft[base+i], clearance)
	}
	for part := range g.Each(parts) {
		length := float32(0)
		width := float32(0)
		for i := part; i < n; i += parts {
			at := base + i
			length += plan(center[base+centerline.After(i, n)].Sub(center[at])).Len()
			width += bound[at].Y - bound[at].X
		}
		first[part] = length
		second[part] = width
	}
	length := float32(0)
	width := float32(0)
	for part := int32(0); part < parts; part++ {
		length += first[part]
		width += second[part]
	}
	// In these units neither the size of the road nor the number of its points changes the numbers much.
	unit := float32(0.5*width) / kernel.Max(float32(n), 1)
	spacing := length / kernel.Max(float32(n), 1)
	weight := float32(spacing*kernel.Sqrt(spacing)) / unit
	slope := float32(weight * unit)
	for i := range g.Each(n) {
		slack[base+i] = started((bound[base+i].Y - bound[base+i].X) / unit)
	}

	for round := int32(0); round < rounds; round++ {
		for i := range g.Each(n) {
			at := base + i
			offset[at] = place(bound[at].X, bound[at].Y, unit, slack[at])
		}
		for i := range g.Each(n) {
			at := base + i
			b := bending(i, n, base, center, normal, offset)
			pivot[at] = four(-1, float32(slope*b.Z), stiffness(slack[at]), float32(slope*b.Y))
			right[at] = kernel.V2(float32(-weight*b.X), float32(slope*b.W))
		}
		for part := range g.Each(parts) {
			sum := float32(0)
			for i := part; i < n; i += parts {
				sum += complementarity(slack[base+i])
			}
			first[part] = sum
		}
		total := float32(0)
		for part := int32(0); part < parts; part++ {
			total += first[part]
		}
		barrier := kernel.Max(float32(reduction*total)/float32(2*kernel.Max(float32(n), 1)), leastBarrier)
		for i := range g.Each(n) {
			at := base + i
			s := slack[at]
			next[at] = four(0, right[at].Y, pivot[base+centerline.After(i, n)].W, 0)
			right[at] = kernel.V2(right[at].X, barrier/s.X-barrier/s.Y)
		}

		// Each turn eliminates every other point that is left, until one is left.
		stride := int32(1)
		for left := n; left > 1; left = (left + 1) / 2 {
			for t := range g.Each(left / 2) {
				at := base + (2*t+1)*stride
				before[at] = next[at-stride]
				pivot[at] = inverse(pivot[at])
			}
			for t := range g.Each((left + 1) / 2) {
				at := base + 2*t*stride
				p := pivot[at]
				r := right[at]
				behind := int32(-1) // the eliminated point before this one
				if t > 0 {
					behind = at - stride
				} else if left%2 == 0 {
					behind = base + (left-1)*stride
				}
				if behind >= 0 {
					m := product(transposed(next[behind]), full(pivot[behind]))
					p = less(p, product(m, next[behind]))
					r = r.Sub(times(m, right[behind]))
				}
				if 2*t+1 < left {
					ahead := at + stride
					m := product(before[ahead], full(pivot[ahead]))
					p = less(p, product(m, transposed(before[ahead])))
					r = r.Sub(times(m, right[ahead]))
					q := product(m, next[ahead])
					next[at] = four(-q.X, -q.Y, -q.Z, -q.W)
				}
				pivot[at] = p
				right[at] = r
			}
			stride = 2 * stride
		}
		for t := range g.Each(min(n, 1)) {
			at := base + t
			c := next[at] // from the point to itself
			p := four(float32(2*c.X)+pivot[at].X, c.Y+c.Z+pivot[at].Y, float32(2*c.W)+pivot[at].Z, 0)
			right[at] = times(full(inverse(p)), right[at])
		}
		for stride > 1 {
			stride = stride / 2
			left := (n + stride - 1) / stride
			for t := range g.Each(left / 2) {
				at := base + (2*t+1)*stride
				ahead := base
				if 2*t+2 < left {
					ahead = at + stride
				}
				r := right[at].Sub(times(transposed(before[at]), right[at-stride]))
				r = r.Sub(times(next[at], right[ahead]))
				right[at] = times(full(pivot[at]), r)
			}
		}

		for part := range g.Each(parts) {
			primal := float32(0)
			dual := float32(0)
			for i := part; i < n; i += parts {
				s := slack[base+i]
				step := right[base+i].Y
				d := multipliers(s, barrier, step)
				primal = kernel.Max(primal, kernel.Max(-step/s.X, step/s.Y))
				dual = kernel.Max(dual, kernel.Max(-d.X/s.Z, -d.Y/s.W))
			}
			first[part] = primal
			second[part] = dual
		}
		primal := float32(0)
		dual := float32(0)
		for part := int32(0); part < parts; part++ {
			primal = kernel.Max(primal, first[part])
			dual = kernel.Max(dual, second[part])
		}
		for i := range g.Each(n) {
			at := base + i
			slack[at] = moved(slack[at], (bound[at].Y-bound[at].X)/unit, barrier, right[at].Y, share(primal), share(dual))
		}
	}

	for i := range g.Each(maxPoints) {
		n0 := kernel.NaN()
		if i < n {
			n0 = vector.OneNaN(place(bound[base+i].X, bound[base+i].Y, unit, slack[base+i]))
		}
		offset[base+i] = n0
	}
}

// boundsOf returns the least and the largest offset of a point. Where the road is too narrow for the clearance, they
// are on both sides of the middle of the road, a small part of its width apart.
func boundsOf(right, left, clearance float32) kernel.Vec2 {
	lo := clearance - right
	hi := left - clearance
	least := float32(leastRange * (left + right))
	if !(hi-lo > least) {
		middle := float32(0.5 * (left - right))
		return kernel.V2(middle-float32(0.5*least), middle+float32(0.5*least))
	}
	return kernel.V2(lo, hi)
}
