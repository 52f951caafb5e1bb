package unproven

import "github.com/trackgen-go/trackgen/kernel"

// scatter writes where the caller's permutation says.
//
//kernel:thread
//kernel:unproven
func scatter(i int32, to []int32, x, out []kernel.Vec3) {
	out[to[i]] = x[i]
}
