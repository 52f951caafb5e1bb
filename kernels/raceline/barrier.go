package raceline

import "github.com/trackgen-go/trackgen/kernel"

// The state of the interior-point method at a point is a Quat: the distances to the lower and to the upper bound in X
// and Y, which add up to the range of the point, and the multipliers of the two bounds in Z and W. All are in the unit
// of the env, half the mean range, and above 0.

const (
	// reduction is the part of the mean complementarity that a step aims at.
	reduction = 0.2
	// leastBarrier is the smallest complementarity that a step aims at. It keeps the systems within float32.
	leastBarrier = 1e-9
	// firstBarrier is the complementarity at the start.
	firstBarrier = 1e-2
	// approach is the part of the way to the nearest bound, or of a multiplier to 0, that a step takes at most.
	approach = 0.95
	// leastDistance and leastMultiplier keep distances and multipliers above 0.
	leastDistance   = 1e-6
	leastMultiplier = 1e-12
)

// started returns the first state of a point, in the middle of its range.
func started(reach float32) kernel.Quat {
	distance := float32(0.5 * reach)
	return four(distance, distance, firstBarrier/distance, firstBarrier/distance)
}

// place returns the offset of a point whose bounds are lo and hi. It goes by the nearer bound, from which the distance
// is the more accurate.
func place(lo, hi, unit float32, s kernel.Quat) float32 {
	if s.X < s.Y {
		return lo + float32(unit*s.X)
	}
	return hi - float32(unit*s.Y)
}

// complementarity returns the sum of the products of the distances and their multipliers.
func complementarity(s kernel.Quat) float32 { return float32(s.X*s.Z) + float32(s.Y*s.W) }

// stiffness returns what the bounds add to the diagonal of the system.
func stiffness(s kernel.Quat) float32 { return s.Z/s.X + s.W/s.Y }

// multipliers returns the steps of the two multipliers of a point that moves by step.
func multipliers(s kernel.Quat, barrier, step float32) kernel.Vec2 {
	return kernel.V2((barrier-float32(s.Z*step))/s.X-s.Z, (barrier+float32(s.W*step))/s.Y-s.W)
}

// moved returns the state of a point after a step, of which the parts primal and dual are taken. The distances still
// add up to reach.
func moved(s kernel.Quat, reach, barrier, step, primal, dual float32) kernel.Quat {
	d := multipliers(s, barrier, step)
	lower := kernel.Max(s.X+float32(primal*step), leastDistance)
	upper := kernel.Max(s.Y-float32(primal*step), leastDistance)
	if lower < upper {
		upper = kernel.Max(reach-lower, leastDistance)
	} else {
		lower = kernel.Max(reach-upper, leastDistance)
	}
	return four(lower, upper, kernel.Max(s.Z+float32(dual*d.X), leastMultiplier),
		kernel.Max(s.W+float32(dual*d.Y), leastMultiplier))
}

// share returns the part of a step that is taken, where steepest is the largest part of the way to 0 that it goes.
func share(steepest float32) float32 {
	if steepest > approach {
		return approach / steepest
	}
	return 1
}
