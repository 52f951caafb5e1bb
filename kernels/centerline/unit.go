package centerline

import "github.com/trackgen-go/trackgen/kernel"

// minNorm is the smallest length that a vector is divided by when it is normalised.
const minNorm = 1e-8

// Unit returns v divided by its length, at least minNorm.
func Unit(v kernel.Vec2) kernel.Vec2 {
	n := kernel.Max(v.Len(), minNorm)
	return kernel.V2(v.X/n, v.Y/n)
}
