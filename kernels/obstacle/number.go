package obstacle

import "github.com/trackgen-go/trackgen/kernel"

// least returns the smaller number; of a number and a NaN, the number (C-2).
func least(a, b float32) float32 {
	if a < b || kernel.IsNaN(b) {
		return a
	}
	return b
}

// most returns the larger number; of a number and a NaN, the number (C-2).
func most(a, b float32) float32 {
	if a > b || kernel.IsNaN(b) {
		return a
	}
	return b
}

// between returns x within low and high; low if x is NaN (C-2).
func between(x, low, high float32) float32 { return least(most(low, x), high) }

// hasNaN reports whether a component of p is NaN.
func hasNaN(p kernel.Vec3) bool { return kernel.IsNaN(p.X) || kernel.IsNaN(p.Y) || kernel.IsNaN(p.Z) }

// planOf returns a point in plan view.
func planOf(p kernel.Vec3) kernel.Vec2 { return kernel.V2(p.X, p.Y) }
