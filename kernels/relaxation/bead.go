package relaxation

import "github.com/trackgen-go/trackgen/kernel"

const (
	minDistance = 1e-9  // floor of distances and lengths that are divided by
	minProduct  = 1e-12 // floor of the product of a triangle's sides

	taubinShrink = 0.5   // lambda, Taubin 1995
	taubinGrow   = -0.53 // mu
)

// Apart returns how many steps i and j are apart along a loop of n points, the shorter way.
func Apart(i, j, n int32) int32 {
	d := i - j
	if d < 0 {
		d = -d
	}
	if n-d < d {
		d = n - d
	}
	return d
}

// near reports whether the vector d is shorter than limit, after a test by axis.
func near(d kernel.Vec2, limit, limitSquared float32) bool {
	return kernel.Abs(d.X) < limit && kernel.Abs(d.Y) < limit && d.Dot(d) < limitSquared
}

// push returns half of what d, the vector from another bead, lacks to the separation target.
func push(d kernel.Vec2, target float32) kernel.Vec2 {
	distance := kernel.Max(d.Len(), minDistance)
	return d.Scale(float32(0.5*(target-distance)) / distance)
}

// stretch returns the length of the edge d and a quarter of its deviation from restLength, along d.
func stretch(d kernel.Vec2, restLength float32) (float32, kernel.Vec2) {
	length := d.Len()
	return length, d.Scale(float32(0.25*(length-restLength)) / kernel.Max(length, minDistance))
}

// bend returns the move of the bead x with neighbours left and right towards their midpoint, where the circle through
// the three is smaller than minRadius. edgeLeft and edgeRight are the lengths of its edges.
func bend(left, x, right kernel.Vec2, edgeLeft, edgeRight, minRadius, weight float32) kernel.Vec2 {
	chord := right.Sub(left)
	product := kernel.Max(float32(float32(edgeLeft*edgeRight)*chord.Len()), minProduct)
	doubled := float32(2 * kernel.Abs(x.Sub(left).Cross(chord)))
	if float32(doubled*minRadius) <= product {
		return kernel.V2(0, 0)
	}
	radius := product / doubled
	part := kernel.Min(float32(weight*((minRadius-radius)/minRadius)), 1)
	return kernel.V2(
		float32(part*(float32(0.5*(left.X+right.X))-x.X)),
		float32(part*(float32(0.5*(left.Y+right.Y))-x.Y)))
}

// accelerate returns the Chebyshev step from x to the swept position, given the position before x.
func accelerate(swept, x, before kernel.Vec2, omega, gamma float32) kernel.Vec2 {
	return kernel.V2(
		float32(omega*(float32(gamma*(swept.X-x.X))+(x.X-before.X)))+before.X,
		float32(omega*(float32(gamma*(swept.Y-x.Y))+(x.Y-before.Y)))+before.Y)
}

// smooth returns x moved by factor of the way to the midpoint of its neighbours.
func smooth(left, x, right kernel.Vec2, factor float32) kernel.Vec2 {
	return kernel.V2(
		x.X+float32(factor*(float32(0.5*(left.X+right.X))-x.X)),
		x.Y+float32(factor*(float32(0.5*(left.Y+right.Y))-x.Y)))
}
