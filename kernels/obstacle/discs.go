package obstacle

import (
	"github.com/trackgen-go/trackgen/kernel"
	"github.com/trackgen-go/trackgen/kernels/centerline"
	"github.com/trackgen-go/trackgen/kernels/vector"
)

// Columns of the packed arrays of discs. Column c of box i of n boxes is element c*n+i.
const (
	DiscHit  = 0 // int32
	DiscDisc = 1 // int32

	DiscDepth        = 0 // float32
	DiscFirstContact = 1 // float32

	DiscNearest  = 0 // vector
	DiscPrevious = 1 // vector
)

// beyond reports whether two numbers are on one side of zero, and farther than reach from it.
func beyond(a, b, reach float32) bool { return kernel.Min(a, b) > reach || kernel.Max(a, b) < -reach }

// misses reports whether a motion from a to b stays farther than reach from the origin, as seen on one axis. Infinite
// coordinates make NaNs in box coordinates, which count as touching, so they miss nothing.
func misses(a, b kernel.Vec2, reach float32) bool {
	return (beyond(a.X, b.X, reach) || beyond(a.Y, b.Y, reach)) &&
		kernel.IsFinite((a.X+a.Y)+(b.X+b.Y))
}

// reachOf returns a distance along an axis of the world beyond which no disc touches a box. The factor is for the
// rounding of distances, which may be below the sum by a few parts in 1e7. With an orientation that is not finite,
// every disc counts as touching, because of the NaNs.
func reachOf(q kernel.Quat, half kernel.Vec2, radius float32) float32 {
	if !kernel.IsFinite(((float32(q.X*q.X) + float32(q.Y*q.Y)) + float32(q.Z*q.Z)) + float32(q.W*q.W)) {
		return kernel.Inf()
	}
	return float32(1.001 * (kernel.Abs(half.X) + kernel.Abs(half.Y) + radius))
}

// UpdateDiscs tests box i of n against the discs of its env, the elements from env*discs on, of which count[env] are
// real, all with the same radius (C-77). With swept 1 it also finds the first contact on the way of the box from its
// position before, with its present orientation, and remembers the position.
//
// It writes the columns of the packed arrays: integers [2n], floats and vectors [n], with swept 1 [2n].
func UpdateDiscs(i, env, n, discs int32, radius float32, swept int32, position []kernel.Vec3,
	orientation []kernel.Quat, half []kernel.Vec2, disc []kernel.Vec3, count []int32,
	integers []int32, floats []float32, vectors []kernel.Vec2) {
	p := position[i]
	best := int32(-1)
	depth := float32(0)
	first := float32(Never)
	nearest := kernel.V2(kernel.NaN(), kernel.NaN())
	if !vector.HasNaN(p) {
		b := Box{Middle: planOf(p), Half: half[i], Cos: 1, Sin: 0}
		turned := false
		begin := b.Middle // without a position before, the box has stood where it is
		if swept == 1 && !kernel.IsNaN(vectors[DiscPrevious*n+i].X) {
			begin = vectors[DiscPrevious*n+i]
		}
		reach := reachOf(orientation[i], half[i], radius)
		real := count[env]
		if real > discs {
			real = discs
		}
		for k := int32(0); k < real; k++ {
			c := disc[env*discs+k]
			to := planOf(c).Sub(b.Middle)
			from := planOf(c).Sub(begin)
			if vector.HasNaN(c) || misses(from, to, reach) {
				continue
			}
			if !turned {
				b = BoxOf(p, orientation[i], half[i])
				turned = true
			}
			inside := radius - b.Distance(b.Local(to))
			if inside >= 0 && (best < 0 || inside > depth) {
				best = k
				depth = inside
			}
			if swept == 1 {
				first = kernel.Min(first, b.ballTime(b.Local(from), b.Local(to), radius))
			}
		}
		if best >= 0 {
			c := planOf(disc[env*discs+best])
			touched := b.Middle.Add(b.World(b.Nearest(b.Local(c.Sub(b.Middle)))))
			nearest = centerline.OneNaN(c.Add(centerline.Unit(touched.Sub(c)).Scale(radius)))
		}
	}
	integers[DiscHit*n+i] = 0
	if best >= 0 {
		integers[DiscHit*n+i] = 1
	}
	integers[DiscDisc*n+i] = best
	floats[DiscDepth*n+i] = depth
	vectors[DiscNearest*n+i] = nearest
	if swept == 1 {
		if first > 1 {
			first = kernel.NaN()
		}
		floats[DiscFirstContact*n+i] = first
		vectors[DiscPrevious*n+i] = planOf(p)
		if vector.HasNaN(p) {
			vectors[DiscPrevious*n+i] = kernel.V2(kernel.NaN(), kernel.NaN())
		}
	}
}

// touchDiscs tests each box against the discs of its env: see UpdateDiscs. boxes is the number of boxes of an env. One
// thread is one box. kernelgen cannot prove that boxes have no column in common.
//
//kernel:thread
//kernel:unproven
//kernel:iterations discIterations(discs)
func touchDiscs(i int32, n, boxes, discs int32, radius float32, swept int32, position []kernel.Vec3,
	orientation []kernel.Quat, half []kernel.Vec2, disc []kernel.Vec3, count []int32,
	integers []int32, floats []float32, vectors []kernel.Vec2) {
	UpdateDiscs(i, i/boxes, n, discs, radius, swept, position, orientation, half, disc, count, integers, floats, vectors)
}

// forgetDiscs makes the boxes of the envs of a mask [E] have no position before. One thread is one box.
//
//kernel:thread
func forgetDiscs(i int32, n, boxes int32, mask []int32, vectors []kernel.Vec2) {
	if mask[i/boxes] != 0 {
		vectors[DiscPrevious*n+i] = kernel.V2(kernel.NaN(), kernel.NaN())
	}
}

// posts makes discs of the posts of gates (C-105): discs 2k and 2k+1 of an env are the left and the right post of its
// gate k. The rows of left and right have the stride gates. One thread is one gate of an active env.
//
//kernel:thread
//kernel:unproven
func posts(i int32, active []int32, gates int32, left, right, disc []kernel.Vec3) {
	if i/gates >= active[0] {
		return
	}
	k := active[i/gates+1]*gates + i%gates
	disc[2*k] = left[k]
	disc[2*k+1] = right[k]
}
