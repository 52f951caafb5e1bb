package obstacle

import (
	"github.com/trackgen-go/trackgen/kernel"
	"github.com/trackgen-go/trackgen/kernels/vector"
)

// between returns x within low and high; low if x is NaN (C-2).
func between(x, low, high float32) float32 { return vector.Smaller(vector.Larger(low, x), high) }

// planOf returns a point in plan view.
func planOf(p kernel.Vec3) kernel.Vec2 { return kernel.V2(p.X, p.Y) }
