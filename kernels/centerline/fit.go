package centerline

import "github.com/trackgen-go/trackgen/kernel"

const (
	boxSide    = 1.44 // longer side of a fitted loop, in units of scale
	minBoxSide = 1e-8
)

// BoundingBox returns the lower and the upper corner of the box around point[base..base+n), n >= 1.
func BoundingBox(n, base int32, point []kernel.Vec2) (kernel.Vec2, kernel.Vec2) {
	lo := point[base]
	hi := lo
	for k := int32(1); k < n; k++ {
		p := point[base+k]
		lo.X = kernel.Min(lo.X, p.X)
		lo.Y = kernel.Min(lo.Y, p.Y)
		hi.X = kernel.Max(hi.X, p.X)
		hi.Y = kernel.Max(hi.Y, p.Y)
	}
	return lo, hi
}

// boxShares is how many items share the search for a bounding box.
const boxShares = 32

// boxOfShare returns the box around a share of the points point[base..base+n), n >= 1: the first point, and every
// boxShares-th from the point share on.
func boxOfShare(share, n, base int32, point []kernel.Vec2) (kernel.Vec2, kernel.Vec2) {
	lo := point[base]
	hi := lo
	for k := share; k < n; k += boxShares {
		p := point[base+k]
		lo.X = kernel.Min(lo.X, p.X)
		lo.Y = kernel.Min(lo.Y, p.Y)
		hi.X = kernel.Max(hi.X, p.X)
		hi.Y = kernel.Max(hi.Y, p.Y)
	}
	return lo, hi
}

// Fit returns the middle of the box lo..hi, and the factor that makes its longer side 1.44 scale
// (docs/spec/pipeline.md, section 4.0).
func Fit(lo, hi kernel.Vec2, scale float32) (kernel.Vec2, float32) {
	middle := kernel.V2(float32(0.5*(lo.X+hi.X)), float32(0.5*(lo.Y+hi.Y)))
	return middle, float32(boxSide*scale) / kernel.Max(kernel.Max(hi.X-lo.X, hi.Y-lo.Y), minBoxSide)
}
