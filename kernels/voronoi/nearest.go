package voronoi

import (
	"github.com/trackgen-go/trackgen/kernel"
	"github.com/trackgen-go/trackgen/kernels/centerline"
)

// Angles as whole numbers, which wrap at a full turn as angles do.
const (
	turnSteps = 683565275.5764316 // steps in a radian: 2^32 to the turn
	maxTurn   = 1<<31 - 1         // largest difference of angles
)

// Bounds of the errors of a difference of two estimates of distances. Each has at least four times the largest error.
const (
	turnSlack   = 1 << 15 // in steps of angle: an angle has an error below 2^12
	radiusSlack = 4e-6    // of radii
	margin      = 1.00001 // factor, for what is rounded relative to a distance
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

// estimate is about the distance of a site from where an anchor is wanted, without the position of the site: by the
// difference of their angles in steps, one of which is the part perStep of a sector, and by that of their radii.
func estimate(turn int32, radius, perStep float32) float32 {
	return float32(kernel.Abs(float32(turn))*perStep) + float32(kernel.Abs(radius)*(1/radiusUnit))
}
