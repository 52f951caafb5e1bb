package progress

import "github.com/trackgen-go/trackgen/kernel"

// shortest is the length below which a vector has no direction.
const shortest = 1e-12

// crossing returns 1 for a way through a plane forwards, -1 for one backwards, else 0, from the distances of its ends
// from the plane. A way that begins in the plane does not cross it; one that ends in it does.
func crossing(d0, d1 float32) int32 {
	if d0 < 0 && d1 >= 0 {
		return 1
	}
	if d0 > 0 && d1 <= 0 {
		return -1
	}
	return 0
}

// pass returns 1 if the way from before to now goes through checkpoint k forwards, -1 if it goes through it backwards,
// else 0 (C-60).
func pass(k int32, before, now kernel.Vec3, left, right, forward []kernel.Vec3, upHalf []float32) int32 {
	middle := left[k].Add(right[k]).Scale(0.5)
	d0 := before.Sub(middle).Dot(forward[k])
	d1 := now.Sub(middle).Dot(forward[k])
	way := crossing(d0, d1)
	if way == 0 {
		return 0
	}
	crossed := before.Add(now.Sub(before).Scale(d0 / (d0 - d1))).Sub(middle)
	if !isInside(crossed, right[k].Sub(left[k]), forward[k], upHalf[k]) {
		return 0
	}
	return way
}

// isInside reports whether a point of the plane of a checkpoint, measured from the middle of the opening, is in the
// opening, which goes across in the plane. half is half the height of the opening.
func isInside(p, across, forward kernel.Vec3, half float32) bool {
	width := across.Len()
	if width < shortest {
		return false
	}
	side := kernel.V3(across.X/width, across.Y/width, across.Z/width)
	up := side.Cross(forward)
	height := up.Len()
	if height < shortest {
		up = kernel.V3(0, 0, 0)
	} else {
		up = kernel.V3(up.X/height, up.Y/height, up.Z/height)
	}
	return kernel.Abs(p.Dot(side)) <= float32(0.5*width) && kernel.Abs(p.Dot(up)) <= half
}
