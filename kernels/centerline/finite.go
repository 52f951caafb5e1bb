package centerline

import "github.com/trackgen-go/trackgen/kernel"

// farthest is the largest coordinate, and the largest length, of a line that counts as finite. With it, a product of
// three lengths, and a sum of 65536 products of two, are finite numbers.
const farthest = 1e12

// IsFinite reports whether a closed line of the given length, which begins at the point first, is finite: no coordinate
// of it is NaN, infinite or so large that the road around it may not be finite.
//
// The length is that of SumLengths, so it is not finite where a coordinate is not finite.
func IsFinite(first kernel.Vec2, length float32) bool {
	return kernel.IsFinite(first.X) && kernel.IsFinite(first.Y) && kernel.IsFinite(length) &&
		kernel.Abs(first.X) <= farthest && kernel.Abs(first.Y) <= farthest && length <= farthest
}

// OneNaN returns p with kernel.NaN in place of each coordinate that is NaN. The bits of a NaN that was computed depend
// on the device, so an output must not have them.
func OneNaN(p kernel.Vec2) kernel.Vec2 {
	if kernel.IsNaN(p.X) {
		p.X = kernel.NaN()
	}
	if kernel.IsNaN(p.Y) {
		p.Y = kernel.NaN()
	}
	return p
}
