package voronoi

import (
	"github.com/trackgen-go/trackgen/kernel"
	"github.com/trackgen-go/trackgen/kernels/centerline"
)

// Angles as whole numbers, which wrap at a full turn as angles do.
const (
	turnSteps = 683565275.5764316 // steps in a radian: 2^32 to the turn
	maxTurn   = 1<<31 - 1         // largest difference of angles
	turnSlack = 1 << 14           // more than the rounding errors of a difference of angles, which are below 2^12
	margin    = 1.001             // factor for the rounding errors of a distance
)

// Sites are sorted into bins by their angle: the first bits of the angle in steps.
const (
	bins     = 64
	binShift = 26
	binTurn  = 1 << binShift
)

// farthest is more than any distance, and less than that of a used site, which is infinite.
const farthest = 1e30

// turnOf returns an angle from -6 pi to 6 pi as a whole number of steps, without its full turns.
func turnOf(angle float32) int32 {
	return kernel.ToInt32(float32(centerline.WrapAngle(angle) * turnSteps))
}

// binOf returns the bin of an angle in steps.
func binOf(turn int32) int32 { return int32(uint32(turn) >> binShift) }

// reachOf returns the difference of angles, in steps, beyond which a site is farther than best.
func reachOf(best, sector float32) int32 {
	steps := kernel.ToInt32(float32(float32(float32(best*sector)*margin) * turnSteps))
	if steps > maxTurn-turnSlack {
		return maxTurn
	}
	return steps + turnSlack
}

// tooFar reports whether a site is farther from where an anchor is wanted than best, by its angle or by its radius
// alone. No site at a larger difference of angles than reach is as near as best.
func tooFar(siteTurn, turn, reach int32, siteRadius, radius, best float32) bool {
	apart := siteTurn - turn // from -reach to reach+1: with the largest reach, that is any number
	return uint32(apart+reach) > uint32(2*reach+1) ||
		kernel.Abs(siteRadius-radius) > float32(best*(radiusUnit*margin))
}
