package resampling

import (
	"github.com/trackgen-go/trackgen/kernel"
	"github.com/trackgen-go/trackgen/kernels/centerline"
)

// shortest is the length below which a segment, or a direction, counts as a point.
const shortest = 1e-12

// place is a place on a closed line of points: a fraction of the way from the point at one index to that at the next.
type place struct {
	from, to int32
	part     float32
}

// placeAt returns the place of item k of a line of n points that has the given number of items (C-51). The row of the
// line begins at base.
func placeAt(k, items int32, step float32, n, base int32, arclen []float32) place {
	target := float32(float32(k) * step)
	low := int32(0)
	high := n - 1
	for low < high {
		middle := (low + high + 1) / 2
		if arclen[base+middle] <= target {
			low = middle
		} else {
			high = middle - 1
		}
	}
	start := arclen[base+low]
	end := float32(step * float32(items))
	if low+1 < n {
		end = arclen[base+low+1]
	}
	part := float32(0)
	if end-start > shortest {
		part = kernel.Min(kernel.Max((target-start)/(end-start), 0), 1)
	}
	return place{from: base + low, to: base + centerline.After(low, n), part: part}
}

// pointAt returns the point of a line at a place.
func pointAt(at place, point []kernel.Vec3) kernel.Vec3 {
	a := point[at.from]
	return a.Add(point[at.to].Sub(a).Scale(at.part))
}

// direction returns v with length 1, or 0 for a v that is too short to have a direction.
func direction(v kernel.Vec3) kernel.Vec3 {
	length := v.Len()
	if length < shortest {
		return kernel.V3(0, 0, 0)
	}
	return kernel.V3(v.X/length, v.Y/length, v.Z/length)
}
