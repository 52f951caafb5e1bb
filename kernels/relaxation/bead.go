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

// distanceOf returns the distance of two beads from its square, at least minDistance.
func distanceOf(squared float32) float32 {
	return kernel.Max(kernel.Sqrt(squared), minDistance)
}

// push returns the move of a bead away from another one at distance: half of what the vector d between them is shorter
// than target.
func push(d kernel.Vec2, distance, target float32) kernel.Vec2 {
	return d.Scale(float32(0.5*(target-distance)) / distance)
}

// stretch returns a quarter of the deviation of the edge d from restLength, along d, whose length is given.
func stretch(d kernel.Vec2, length, restLength float32) kernel.Vec2 {
	return d.Scale(float32(0.25*(length-restLength)) / kernel.Max(length, minDistance))
}

// tight reports whether the circle through a bead and its neighbours may be smaller than minRadius. It is a test
// without a root or a division, and true wherever bend is not zero. doubled is four times the area of the triangle,
// whose sides are edgeLeft, edgeRight and the chord between the neighbours.
func tight(doubled, edgeLeft, edgeRight, chordSquared, minRadius float32) bool {
	bound := float32(doubled * minRadius)
	product := float32(edgeLeft * edgeRight)
	// One part in a thousand is far more than the rounding of either side.
	return float32(1.001*float32(bound*bound)) >= float32(float32(product*product)*chordSquared)
}

// bend returns how far a bead moves towards the midpoint of its neighbours, as a part of the way: the smaller the
// circle through the three is, the further. The arguments are those of tight.
func bend(doubled, edgeLeft, edgeRight, chordSquared, minRadius, weight float32) float32 {
	product := kernel.Max(float32(float32(edgeLeft*edgeRight)*kernel.Sqrt(chordSquared)), minProduct)
	if float32(doubled*minRadius) <= product {
		return 0
	}
	radius := product / doubled
	return kernel.Min(float32(weight*((minRadius-radius)/minRadius)), 1)
}

// accelerate returns the Chebyshev step from x to the swept position, given the position before x.
func accelerate(swept, x, before kernel.Vec2, omega, gamma float32) kernel.Vec2 {
	return kernel.V2(
		float32(omega*(float32(gamma*(swept.X-x.X))+(x.X-before.X)))+before.X,
		float32(omega*(float32(gamma*(swept.Y-x.Y))+(x.Y-before.Y)))+before.Y)
}

// toMidpoint returns the vector from x to factor of the way to the midpoint of its neighbours.
func toMidpoint(left, x, right kernel.Vec2, factor float32) kernel.Vec2 {
	return kernel.V2(
		float32(factor*(float32(0.5*(left.X+right.X))-x.X)),
		float32(factor*(float32(0.5*(left.Y+right.Y))-x.Y)))
}
